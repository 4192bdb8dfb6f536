#include "results/energy_section.h"

#include <algorithm>

namespace heddle::results {
namespace {

constexpr std::string_view kEnergy = "energy.";
constexpr std::string_view kDynamic = ".dynamic";

double energy_of(const RunRow& run, const std::string& name) {
  const auto found = run.statistics.find(std::string(kEnergy) + name);
  return found == run.statistics.end() ? 0 : found->second;
}

/// Every component that one of the runs has, the largest of all runs together first.
std::vector<std::string> components_of(const std::vector<RunRow>& runs) {
  std::map<std::string, double> sums;
  for (const RunRow& run : runs) {
    for (const auto& [path, value] : run.statistics) {
      if (path.starts_with(kEnergy) && !path.ends_with(kDynamic) && path != "energy.total")
        sums[path.substr(kEnergy.size())] += value;
    }
  }
  std::vector<std::string> names;
  names.reserve(sums.size());
  for (const auto& [name, sum] : sums) names.push_back(name);
  std::stable_sort(names.begin(), names.end(),
                   [&](const std::string& a, const std::string& b) { return sums[a] > sums[b]; });
  return names;
}

}  // namespace

void add_energy(Report& report, const std::vector<RunRow>& runs, const std::vector<std::string>& names) {
  const std::vector<std::string> components = components_of(runs);
  if (components.empty()) return;
  BarSection bars{"Energy",
                  "By component; what leaks and what is spent on doing something together.",
                  "microjoules",
                  names,
                  {},
                  true,
                  {}};
  TableSection table{"Energy by component", "", {}, false};
  table.table.columns = {"run", "component", "share in percent", "microjoules", "of which without doing anything"};
  for (const std::string& component : components) {
    auto& series = bars.series.emplace_back();
    series.name = component;
    for (const RunRow& run : runs) series.values.emplace_back(energy_of(run, component));
  }
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const double total = energy_of(runs[r], "total");
    for (const std::string& component : components) {
      const double all = energy_of(runs[r], component);
      table.table.rows.push_back({names[r], component, total > 0 ? Value(100 * all / total) : Value(), all,
                                  all - energy_of(runs[r], component + std::string(kDynamic))});
    }
    table.table.rows.push_back({names[r], std::string("together"), 100.0, total, Value()});
  }
  report.add(bars);
  report.add(table);
}

}  // namespace heddle::results
