#include "energy/sram.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/check.h"

namespace heddle::energy {

namespace {

constexpr std::size_t kFeatures = 11;
constexpr std::size_t kFigures = 5;
constexpr std::array<int, 3> kProcesses{22, 32, 45};
using Features = std::array<double, kFeatures>;
using Figures = std::array<double, kFigures>;  ///< logarithms, in the order of SramCost

/// How much a difference counts in looking for the nearest rows: ports and the width of an access more than sizes.
constexpr Features kDistance{0, 1, 1, 0.7, 2, 2, 2, 1, 1.5, 2, 4};
constexpr std::size_t kNearest = 4;

Features features(const Sram& s) {
  const double out = s.out_bits > 0 ? s.out_bits : s.entry_bits;
  return {1,
          std::log2(s.entries / s.banks),
          std::log2(s.entry_bits),
          std::log2(s.ways),
          std::log2(1 + s.read_ports),
          std::log2(1 + s.write_ports),
          std::log2(1 + s.rw_ports),
          std::log2(s.read_ports + s.write_ports + s.rw_ports),
          std::log2(s.banks),
          std::log2(out),
          s.sequential ? 1.0 : 0.0};
}

struct Row {
  Sram::Family family = Sram::Family::ram;
  int nm = 0;
  Features at{};
  Figures figures{};
};

Sram::Family family_named(std::string_view name) {
  if (name == "ram") return Sram::Family::ram;
  if (name == "cam") return Sram::Family::cam;
  if (name == "tlb") return Sram::Family::tlb;
  HEDDLE_CHECK(name == "cache", "a family of SRAM structures");
  return Sram::Family::cache;
}

std::vector<Row> read_table() {
  std::vector<Row> rows;
  std::string_view text = sram_table();
  bool header = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    if (std::exchange(header, false)) continue;
    const std::size_t comma = line.find(',');
    const Sram::Family family = family_named(line.substr(0, comma));
    std::array<double, 15> n{};
    line.remove_prefix(comma + 1);
    for (double& value : n) {
      const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), value);
      HEDDLE_CHECK(error == std::errc{}, "a number in the table of SRAM structures");
      line.remove_prefix(std::min(static_cast<std::size_t>(stop - line.data()) + 1, line.size()));
    }
    const Sram sram{family, n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8] != 0};
    Row row{family, static_cast<int>(n[9]), features(sram), {}};
    for (std::size_t f = 0; f < kFigures; ++f) row.figures[f] = std::log(n[10 + f]);
    rows.push_back(row);
  }
  return rows;
}

/// Least squares by the normal equations. Features that do not vary in the rows get no weight: a little is added to the
/// diagonal.
Features fit(const std::vector<const Row*>& rows, std::size_t figure) {
  std::array<std::array<double, kFeatures + 1>, kFeatures> a{};
  for (const Row* row : rows) {
    for (std::size_t i = 0; i < kFeatures; ++i) {
      for (std::size_t j = 0; j < kFeatures; ++j) a[i][j] += row->at[i] * row->at[j];
      a[i][kFeatures] += row->at[i] * row->figures[figure];
    }
  }
  for (std::size_t i = 0; i < kFeatures; ++i) a[i][i] += 1e-6;
  for (std::size_t i = 0; i < kFeatures; ++i) {
    for (std::size_t k = 0; k < kFeatures; ++k) {
      if (k == i) continue;
      const double factor = a[k][i] / a[i][i];
      for (std::size_t j = i; j <= kFeatures; ++j) a[k][j] -= factor * a[i][j];
    }
  }
  Features weights{};
  for (std::size_t i = 0; i < kFeatures; ++i) weights[i] = a[i][kFeatures] / a[i][i];
  return weights;
}

double value(const Features& weights, const Features& at) {
  double sum = 0;
  for (std::size_t i = 0; i < kFeatures; ++i) sum += weights[i] * at[i];
  return sum;
}

double distance(const Features& a, const Features& b) {
  double sum = 0;
  for (std::size_t i = 0; i < kFeatures; ++i) sum += kDistance[i] * std::abs(a[i] - b[i]);
  return sum;
}

/// The logarithms of the figures of a structure, from these rows.
Figures estimate(std::vector<const Row*> rows, const Features& at) {
  std::array<Features, kFigures> weights{};
  for (std::size_t f = 0; f < kFigures; ++f) weights[f] = fit(rows, f);
  const auto nearest = rows.begin() + static_cast<std::ptrdiff_t>(std::min(kNearest, rows.size()));
  std::partial_sort(rows.begin(), nearest, rows.end(),
                    [&at](const Row* a, const Row* b) { return distance(a->at, at) < distance(b->at, at); });
  Figures result{};
  for (std::size_t f = 0; f < kFigures; ++f) {
    double correction = 0;
    double total = 0;
    for (auto row = rows.begin(); row != nearest; ++row) {
      const double apart = distance((*row)->at, at);
      if (apart < 1e-9) {  // the structure itself
        correction = (*row)->figures[f] - value(weights[f], (*row)->at);
        total = 1;
        break;
      }
      const double weight = 1 / ((apart + 0.05) * (apart + 0.05));
      correction += weight * ((*row)->figures[f] - value(weights[f], (*row)->at));
      total += weight;
    }
    result[f] = value(weights[f], at) + correction / total;
  }
  return result;
}

std::vector<const Row*> rows_of(Sram::Family family, int nm) {
  static const std::vector<Row> table = read_table();
  std::vector<const Row*> rows;
  for (const Row& row : table) {
    if (row.family == family && row.nm == nm) rows.push_back(&row);
  }
  return rows;
}

SramCost cost(const Figures& logarithms) {
  return {std::exp(logarithms[0]), std::exp(logarithms[1]), std::exp(logarithms[2]), std::exp(logarithms[3]),
          std::exp(logarithms[4])};
}

}  // namespace

namespace {

SramCost calculate(const Sram& sram, double process_nm) {
  const Features at = features(sram);
  std::size_t upper = 1;
  while (process_nm > kProcesses[upper]) ++upper;
  const Figures below = estimate(rows_of(sram.family, kProcesses[upper - 1]), at);
  const Figures above = estimate(rows_of(sram.family, kProcesses[upper]), at);
  const double part =
      std::log(process_nm / kProcesses[upper - 1]) / std::log(1.0 * kProcesses[upper] / kProcesses[upper - 1]);
  Figures between{};
  for (std::size_t f = 0; f < kFigures; ++f) between[f] = below[f] + part * (above[f] - below[f]);
  return cost(between);
}

}  // namespace

SramCost sram_cost(const Sram& sram, double process_nm) {
  HEDDLE_CHECK(process_nm >= kProcesses.front() && process_nm <= kProcesses.back(), "a process of the table");
  // A sweep asks for the same structures again and again.
  static std::mutex mutex;
  static std::map<std::array<double, kFeatures + 2>, SramCost> known;
  std::array<double, kFeatures + 2> key{process_nm, static_cast<double>(sram.family)};
  const Features at = features(sram);
  std::copy(at.begin(), at.end(), key.begin() + 2);
  const std::scoped_lock lock(mutex);
  const auto [place, is_new] = known.try_emplace(key);
  if (is_new) place->second = calculate(sram, process_nm);
  return place->second;
}

SramCost fit_error(Sram::Family family, int process_nm) {
  const std::vector<const Row*> rows = rows_of(family, process_nm);
  Figures sums{};
  for (const Row* left_out : rows) {
    std::vector<const Row*> others;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(others),
                 [&](const Row* row) { return distance(row->at, left_out->at) > 1e-9; });
    const Figures estimated = estimate(others, left_out->at);
    for (std::size_t f = 0; f < kFigures; ++f) sums[f] += std::abs(std::exp(estimated[f] - left_out->figures[f]) - 1);
  }
  const auto count = static_cast<double>(rows.size());
  return {sums[0] / count, sums[1] / count, sums[2] / count, sums[3] / count, sums[4] / count};
}

}  // namespace heddle::energy
