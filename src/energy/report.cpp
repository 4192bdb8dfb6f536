#include "energy/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/diagnostics.h"

namespace heddle::energy {

namespace {

constexpr double kLeastProcess = 22;
constexpr double kMostProcess = 45;
/// Of logic: 50 pJ at 40 nm and 8.7 pJ at 10 nm for one operation (Keckler et al., IEEE Micro 2011, table 2).
constexpr double kLogicExponent = 1.26;

std::map<std::string, Describe>& components() {
  static std::map<std::string, Describe> all;
  return all;
}

/// The supply that CACTI takes for high-performance cells.
double nominal_voltage(double process_nm) {
  if (process_nm >= 32) return 0.9 + (process_nm - 32) / (45 - 32) * 0.1;
  return 0.8 + (process_nm - 22) / (32 - 22) * 0.1;
}

}  // namespace

bool register_component(const char* name, Describe describe) { return components().emplace(name, describe).second; }

Report::Report(const gpu::GpuParameters& gpu, Counters counters)
    : gpu_(gpu), counters_(std::move(counters)), process_nm_(gpu.energy.process_nm) {
  if (process_nm_ < kLeastProcess || process_nm_ > kMostProcess) {
    throw UserError(fmt::format(
        "energy.process_nm = {:g}: {}; energy and area are known from {:g} to {:g} nm (--set energy.process_nm=28)",
        process_nm_, process_nm_ == 0 ? "this GPU's description does not say its process" : "out of range",
        kLeastProcess, kMostProcess));
  }
  if (gpu.energy.voltage > 0) {
    leakage_scale_ = gpu.energy.voltage / nominal_voltage(process_nm_);
    dynamic_scale_ = leakage_scale_ * leakage_scale_;
  }
  for (const auto& [name, describe] : components()) describe(*this);
}

double Report::count(const std::string& path) const {
  const auto found = counters_.find(path);
  return found != counters_.end() ? static_cast<double>(found->second) : 0;
}

double Report::parameter(const std::string& path) const {
  const auto find = [&](const auto& self, const sim::ParameterGroup& group) -> const sim::ParameterBase* {
    for (const sim::ParameterBase* one : group.parameters()) {
      if (group.path() + "." + one->key() == path) return one;
    }
    for (const sim::ParameterGroup* inner : group.groups()) {
      if (!path.starts_with(inner->path() + ".")) continue;
      if (const sim::ParameterBase* found = self(self, *inner)) return found;
    }
    return nullptr;
  };
  const sim::ParameterBase* found = find(find, gpu_);
  HEDDLE_CHECK(found != nullptr, "there is no parameter " + path);
  const sim::ParameterValue value = found->value();
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::get<double>(value);
}

double Report::seconds() const { return count("gpu.cycles") / (gpu_.core_mhz * 1e6); }

void Report::add_sram(std::string component, std::string structure, const Sram& sram, double instances, double reads,
                      double writes) {
  const SramCost cost = sram_cost(sram, process_nm_);
  const double leakage = cost.leakage_mw * instances * leakage_scale_;
  items_.push_back({.component = std::move(component),
                    .structure = std::move(structure),
                    .instances = instances,
                    .bytes = sram.bytes(),
                    .accesses = reads + writes,
                    .dynamic_uj = (reads * cost.read_pj + writes * cost.write_pj) * dynamic_scale_ * 1e-6,
                    .static_uj = leakage * seconds() * 1e3,
                    .leakage_mw = leakage,
                    .area_mm2 = cost.area_mm2 * instances});
}

void Report::add_banks(const std::string& component, const Sram& bank, double banks, double instances, double reads,
                       double writes) {
  add_sram(component, "banks", bank, banks * instances, reads, writes);
  const double side_mm = std::sqrt(items_.back().area_mm2 / instances);
  add_logic(component, "wires of banks", reads + writes, gpu_.energy.wire * side_mm * bank.entry_bits);
}

void Report::add_logic(std::string component, std::string structure, double count, double pj_at_45nm) {
  add_events(std::move(component), std::move(structure), count,
             pj_at_45nm * std::pow(process_nm_ / kMostProcess, kLogicExponent) * dynamic_scale_);
}

void Report::add_events(std::string component, std::string structure, double count, double pj) {
  items_.push_back({.component = std::move(component),
                    .structure = std::move(structure),
                    .accesses = count,
                    .dynamic_uj = count * pj * 1e-6});
}

void Report::add_power(std::string component, std::string structure, double mw) {
  items_.push_back({.component = std::move(component),
                    .structure = std::move(structure),
                    .static_uj = mw * seconds() * 1e3,
                    .leakage_mw = mw});
}

std::vector<std::pair<std::string, double>> Report::energies_uj() const {
  std::vector<std::pair<std::string, double>> sums;
  for (const Item& item : items_) {
    auto sum = std::find_if(sums.begin(), sums.end(), [&](const auto& s) { return s.first == item.component; });
    if (sum == sums.end()) sum = sums.insert(sums.end(), {item.component, 0.0});
    sum->second += item.dynamic_uj + item.static_uj;
  }
  return sums;
}

double Report::total_uj() const {
  double sum = 0;
  for (const Item& item : items_) sum += item.dynamic_uj + item.static_uj;
  return sum;
}

double Report::area_mm2(const std::string& component) const {
  double sum = 0;
  for (const Item& item : items_) sum += item.component == component ? item.area_mm2 : 0;
  return sum;
}

}  // namespace heddle::energy
