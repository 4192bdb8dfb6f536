#include "cli/mix_report.h"

#include <fmt/format.h>

#include "results/sharing_series.h"

namespace heddle::cli {

results::Report mix_report(const MixResult& result, const std::string& machine, const std::string& database) {
  std::string names;
  for (const Application& application : result.applications)
    names += fmt::format("{}{}", names.empty() ? "" : " + ", application.name);
  results::Report report(names, fmt::format("{}; each alone on as many SMs", machine));
  results::TableSection costs{"What sharing costs", "", {}, false};
  costs.table.columns = {"application", "SMs", "IPC alone", "IPC shared", "slowdown"};
  results::BarSection bars{"Speed relative to alone", "", "IPC shared over alone", {}, {}, false, {}};
  bars.series.emplace_back().name = "shared / alone";
  for (std::size_t a = 0; a < result.applications.size(); ++a) {
    const double alone = result.metrics.alone[a];
    const double shared = result.metrics.shared[a];
    costs.table.rows.push_back({std::string(result.applications[a].name), static_cast<std::int64_t>(result.split[a]),
                                alone, shared, shared == 0 ? results::Value() : results::Value(alone / shared)});
    bars.groups.emplace_back(result.applications[a].name);
    bars.series[0].values.emplace_back(shared / alone);
  }
  report.add(costs);
  report.add(bars);
  results::TableSection figures{"Figures", "As docs/sharing.md defines them.", {}, false};
  figures.table.columns = {"figure", "value"};
  for (const std::string& name : sharing_figures()) {
    if (const auto figure = sharing_figure(result.metrics, name)) figures.table.rows.push_back({name, *figure});
  }
  report.add(figures);
  const auto open = results::open_results(database);
  results::add_sharing_series(report, results::series_of(*open, result.shared.id));
  return report;
}

}  // namespace heddle::cli
