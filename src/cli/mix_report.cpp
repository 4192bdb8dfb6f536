#include "cli/mix_report.h"

#include <fmt/format.h>

#include "results/sharing_series.h"

namespace heddle::cli {
namespace {

/// The divisions that were tried, if there are several: their weighted speedup as bars, and all figures.
void add_divisions(results::Report& report, const MixResult& result) {
  if (result.divisions.size() < 2) return;
  results::BarSection bars{"Weighted speedup by division of the SMs",
                           fmt::format("The best is {}.", split_text(result.split)),
                           "weighted speedup",
                           {},
                           {},
                           false,
                           {}};
  bars.series.emplace_back().name = "weighted speedup";
  results::TableSection all{"Divisions tried", "", {}, true};
  all.table.columns = {"SMs", "weighted speedup", "IPC throughput", "maximum slowdown"};
  for (const auto& [split, metrics] : result.divisions) {
    bars.groups.push_back(split_text(split));
    bars.series[0].values.emplace_back(metrics.weighted_speedup);
    all.table.rows.push_back({split_text(split), metrics.weighted_speedup, metrics.throughput, metrics.slowdown});
  }
  report.add(bars);
  report.add(all);
}

}  // namespace

results::Report mix_report(const MixResult& result, const std::string& machine, const std::string& database) {
  std::string names;
  for (const Application& application : result.applications)
    names += fmt::format("{}{}", names.empty() ? "" : " + ", application.name);
  results::Report report(names, fmt::format("{}; {}", machine,
                                            result.whole ? "each may use all SMs, and is alone on the whole GPU"
                                                         : "each has SMs of its own, and is alone on as many"));
  results::TableSection costs{"What sharing costs", "", {}, false};
  costs.table.columns = {"application", "SMs", "IPC alone", "IPC shared", "slowdown", "cycles of its first run",
                         "at its end"};
  results::BarSection bars{"Speed relative to alone", "", "IPC shared over alone", {}, {}, false, {}};
  bars.series.emplace_back().name = "shared / alone";
  std::vector<results::SharingApplication> applications;
  for (std::size_t a = 0; a < result.applications.size(); ++a) {
    const double alone = result.metrics.alone[a];
    const double shared = result.metrics.shared[a];
    const auto figure = [&](const char* name) {
      return result.shared.statistics.at(fmt::format("mix.application_{}.{}", a, name));
    };
    costs.table.rows.push_back({std::string(result.applications[a].name), static_cast<std::int64_t>(result.split[a]),
                                alone, shared, shared == 0 ? results::Value() : results::Value(alone / shared),
                                static_cast<std::int64_t>(figure("cycles")),
                                std::string(figure("ended") != 0 ? "yes" : "no")});
    bars.groups.emplace_back(result.applications[a].name);
    bars.series[0].values.emplace_back(shared / alone);
    applications.push_back({std::string(result.applications[a].name), alone});
  }
  report.add(costs);
  report.add(bars);
  results::TableSection figures{"Figures", "As docs/sharing.md defines them.", {}, false};
  figures.table.columns = {"figure", "value"};
  for (const std::string& name : sharing_figures()) {
    if (const auto figure = sharing_figure(result.metrics, name)) figures.table.rows.push_back({name, *figure});
  }
  report.add(figures);
  add_divisions(report, result);
  const auto open = results::open_results(database);
  results::add_sharing_series(report, results::series_of(*open, result.shared.id), applications);
  return report;
}

}  // namespace heddle::cli
