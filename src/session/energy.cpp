#include "session/energy.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::session {

namespace {

energy::Report::Counters counters_of(const std::map<std::string, double>& statistics) {
  energy::Report::Counters counters;
  for (const auto& [path, value] : statistics) {
    if (value >= 0 && path.starts_with("gpu.")) counters[path] = static_cast<std::uint64_t>(value);
  }
  return counters;
}

std::string size_of(double bytes) {
  return bytes >= 1024 ? fmt::format("{:.4g} KiB", bytes / 1024) : fmt::format("{:.0f} B", bytes);
}

}  // namespace

void add_energy(const gpu::GpuParameters& gpu, std::map<std::string, double>& statistics) {
  if (!energy::known(gpu)) return;
  const energy::Report report(gpu, counters_of(statistics));
  for (const auto& [component, uj] : report.energies_uj()) statistics["energy." + component] = uj;
  statistics["energy.total"] = report.total_uj();
  for (const energy::Item& item : report.items()) {
    statistics["energy." + item.component + ".dynamic"] += item.dynamic_uj;
    if (item.instances == 0) continue;
    statistics["area." + item.component] += item.area_mm2;
    statistics["storage." + item.component] += item.bytes * item.instances;
  }
}

void print_energy(const gpu::GpuParameters& gpu, const std::map<std::string, double>& statistics, std::FILE* out) {
  const energy::Report report(gpu, counters_of(statistics));
  const double total = report.total_uj();
  fmt::print(out, "  energy            {:.4g} uJ, {:.3g} W on average\n", total,
             report.seconds() > 0 ? total * 1e-6 / report.seconds() : 0.0);
  auto components = report.energies_uj();
  std::stable_sort(components.begin(), components.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [component, uj] : components) {
    double still = 0;
    for (const energy::Item& item : report.items()) still += item.component == component ? item.static_uj : 0;
    fmt::print(out, "    {:<15} {:>5.1f} %  {:>10.4g} uJ, of which {:.4g} without doing anything\n", component,
               total > 0 ? 100 * uj / total : 0.0, uj, still);
  }
}

void print_area(const gpu::GpuParameters& gpu, std::FILE* out) {
  const energy::Report report(gpu, {});
  fmt::print(out, "{:<15} {:<22} {:>9} {:>11} {:>10} {:>10}\n", "component", "structure", "instances", "size", "mm2",
             "leakage mW");
  double area = 0;
  double leakage = 0;
  for (const energy::Item& item : report.items()) {
    if (item.instances == 0) continue;
    fmt::print(out, "{:<15} {:<22} {:>9} {:>11} {:>10.4g} {:>10.4g}\n", item.component, item.structure, item.instances,
               size_of(item.bytes), item.area_mm2, item.leakage_mw);
    area += item.area_mm2;
    leakage += item.leakage_mw;
  }
  fmt::print(out, "{:<15} {:<22} {:>9} {:>11} {:>10.4g} {:>10.4g}\n", "together", "", "", "", area, leakage);
  fmt::print(out, "SRAM structures at {:g} nm; logic, wires and queues are not in it.\n", gpu.energy.process_nm.get());
}

void print_fit(std::FILE* out) {
  constexpr std::array<std::pair<energy::Sram::Family, const char*>, 4> kFamilies{
      {{energy::Sram::Family::ram, "tables"},
       {energy::Sram::Family::cam, "associative TLBs"},
       {energy::Sram::Family::tlb, "TLBs with sets"},
       {energy::Sram::Family::cache, "caches"}}};
  fmt::print(out, "{:<18} {:>4} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "structures", "nm", "read", "write", "leakage",
             "area", "time");
  for (const auto& [family, name] : kFamilies) {
    for (const int nm : {22, 32, 45}) {
      const energy::SramCost error = energy::fit_error(family, nm);
      fmt::print(out, "{:<18} {:>4} {:>6.1f} % {:>6.1f} % {:>6.1f} % {:>6.1f} % {:>6.1f} %\n", name, nm,
                 100 * error.read_pj, 100 * error.write_pj, 100 * error.leakage_mw, 100 * error.area_mm2,
                 100 * error.access_ns);
    }
  }
  fmt::print(out, "Mean difference from CACTI 7.0, each structure estimated from the others.\n");
}

}  // namespace heddle::session
