// heddle report: a run, a comparison, a sweep or an experiment as one HTML file.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/experiments.h"
#include "results/report.h"

namespace heddle::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> runs;
  std::string sweep;
  std::string experiment;
  std::string size;
  std::string metric = "cycles";
  std::string output = "report.html";
  DatabaseOptions database;
};

/// What distinguishes the runs of a sweep beyond their workload: design, GPU, parameters, whatever varies.
std::string variant_of(const results::RunRow& run, const std::vector<std::string>& varying) {
  std::string name;
  for (const std::string& key : varying) {
    const std::string value = results::to_text(run.get(key));
    name += fmt::format("{}{}{}", name.empty() ? "" : " ", key == "gpu" || key == "design" ? "" : key + "=",
                        value.empty() ? "none" : value);
  }
  return name.empty() ? "all" : name;
}

/// A run that the database has under the names that this sweep gives it: it may have been made by another command,
/// which said the same with other words.
results::RunRow as_planned(results::RunRow row, const RunRequest& asked) {
  row.fields["gpu"] = asked.machine.gpu;
  row.fields["design"] = asked.machine.design;
  row.fields["size"] = asked.size;
  row.fields["changes"] = fmt::format("{}", fmt::join(asked.machine.changes, " "));
  return row;
}

/// The keys on which the runs differ.
std::vector<std::string> varying_keys(const std::vector<results::RunRow>& runs) {
  std::vector<std::string> keys{"gpu", "design", "size"};
  for (const auto& [path, value] : runs[0].configuration) {
    // A GPU's or design's own parameters vary with its name; only what was set counts.
    const bool set = std::any_of(runs.begin(), runs.end(), [&path = path](const results::RunRow& run) {
      return (" " + results::to_text(run.get("changes"))).find(" " + path + "=") != std::string::npos;
    });
    if (set) keys.push_back(path);
  }
  std::erase_if(keys, [&](const std::string& key) {
    return std::all_of(runs.begin(), runs.end(), [&](const auto& run) { return run.get(key) == runs[0].get(key); });
  });
  return keys;
}

std::optional<double> geometric_mean(const std::vector<std::optional<double>>& values) {
  double sum = 0;
  int count = 0;
  for (const auto& value : values) {
    if (!value || *value <= 0) continue;
    sum += std::log(*value);
    ++count;
  }
  return count == 0 ? std::nullopt : std::optional<double>(std::exp(sum / count));
}

results::Report sweep_report(const ReportOptions& options, const results::Database& database) {
  const study::Sweep sweep = study::read_sweep(options.sweep);
  const std::vector<PlannedRun> planned = plan(sweep.points);
  std::set<std::string> identities;
  for (const PlannedRun& run : planned) identities.insert(run.identity);
  const auto found = results::passed_runs(database, identities);
  if (found.empty())
    throw UserError(fmt::format("no run of this sweep is in the database: heddle sweep {}", options.sweep));
  std::vector<results::RunRow> rows;
  for (const PlannedRun& run : planned) {
    if (const auto row = found.find(run.identity); row != found.end())
      rows.push_back(as_planned(row->second, run.request));
  }
  // Cycles of different clocks are no measure of speed.
  const bool one_clock = std::all_of(rows.begin(), rows.end(), [&](const results::RunRow& row) {
    return row.get("core_mhz") == rows[0].get("core_mhz");
  });
  const std::string shown = options.metric == "cycles" && !one_clock ? "seconds" : options.metric;
  const results::Expression metric(shown);
  results::check_names(metric.names(), rows);
  const std::vector<std::string> varying = varying_keys(rows);
  // By workload and variant, the mean over seeds.
  std::vector<std::string> workloads;
  std::vector<std::string> variants;
  std::map<std::pair<std::string, std::string>, std::vector<std::optional<double>>> cells;
  const auto remember = [](std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const results::RunRow& row : rows) {
    const std::string workload = results::to_text(row.get("workload"));
    const std::string variant = variant_of(row, varying);
    remember(workloads, workload);
    remember(variants, variant);
    cells[{workload, variant}].push_back(row.number(metric));
  }
  results::BarSection bars{fmt::format("{} relative to {}", shown, variants[0]),
                           fmt::format("Geometric mean over seeds; each workload normalised to {}.{}", variants[0],
                                       shown == options.metric ? "" : " In time, because the clocks differ."),
                           shown + ", normalised",
                           workloads,
                           {},
                           false,
                           {}};
  bars.groups.emplace_back("geomean");
  for (const std::string& variant : variants) {
    auto& series = bars.series.emplace_back();
    series.name = variant;
    for (const std::string& workload : workloads) {
      const auto mine = geometric_mean(cells[{workload, variant}]);
      const auto base = geometric_mean(cells[{workload, variants[0]}]);
      series.values.push_back(mine && base ? std::optional<double>(*mine / *base) : std::nullopt);
    }
    const auto known = std::count_if(series.values.begin(), series.values.end(),
                                     [](const std::optional<double>& value) { return value.has_value(); });
    series.values.push_back(geometric_mean(series.values));
    if (static_cast<std::size_t>(known) < workloads.size())
      series.name += fmt::format(" ({} of {} workloads)", known, workloads.size());
  }
  results::Report report(sweep.name, sweep.description);
  report.add(bars);
  std::vector<std::string> columns{"id", "workload", "size", "seed"};
  for (const std::string& key : varying) {
    if (key != "size") columns.push_back(key);
  }
  columns.insert(columns.end(), {"cycles", "seconds", "ipc", "host_seconds"});
  if (options.metric != "cycles" && options.metric != "seconds") columns.push_back(options.metric);
  report.add(results::TableSection{"Runs",
                                   fmt::format("{} of {} runs of the sweep have passed.", rows.size(), planned.size()),
                                   results::table_of(rows, columns), false});
  report.add(results::configuration_section(rows[0]));
  report.add(results::TextSection{"How to repeat it", "The sweep file:", read_file(options.sweep)});
  return report;
}

results::Report experiment_report(const ReportOptions& options, const std::string& database) {
  std::vector<PlannedExperiment> all;
  std::vector<study::ExperimentResult> found;
  std::vector<study::Judgement> judgements;
  for (study::Experiment& experiment : find_experiments(options.experiment)) {
    if (!options.size.empty()) experiment.take_size(options.size);
    all.push_back(plan_experiment(experiment));
    found.push_back(evaluate_experiment(all.back(), database));
    judgements.insert(judgements.end(), found.back().judgements.begin(), found.back().judgements.end());
  }
  results::Report report("Experiments of " + options.experiment,
                         "Claims: " + text_of(count_verdicts(study::put_together(judgements))));
  for (std::size_t e = 0; e < all.size(); ++e) {
    const PlannedExperiment& planned = all[e];
    const study::Experiment& experiment = planned.experiment;
    const study::ExperimentResult& result = found[e];
    results::BarSection bars{experiment.title, "", experiment.shows, result.rows, {}, false, {}};
    for (std::size_t d = 0; d < experiment.designs.size(); ++d) {
      auto& series = bars.series.emplace_back();
      series.name = experiment.designs[d];
      for (const auto& row : result.cells)
        series.values.push_back(row[d] ? std::optional(row[d]->value) : std::nullopt);
    }
    report.add(bars);
    results::TableSection verdicts{"Claims", "", {}, false};
    verdicts.table.columns = {"verdict", "claim", "section", "the paper says", "paper", "here"};
    for (const study::Judgement& judgement : result.judgements) {
      verdicts.table.rows.push_back({std::string(study::to_string(judgement.verdict)), judgement.claim.id,
                                     judgement.claim.section, judgement.claim.statement,
                                     study::value_text(judgement.claim), judgement.found});
    }
    report.add(verdicts);
  }
  report.add(results::TextSection{
      "How to repeat it", "",
      fmt::format("heddle reproduce {}{}", options.experiment, options.size.empty() ? "" : " --size " + options.size)});
  return report;
}

results::Report make_report(const ReportOptions& options) {
  const std::string file = options.database.file();
  if (file.empty()) throw UserError("there is no results database: name one with --db");
  if (!options.experiment.empty()) return experiment_report(options, file);
  const results::Database database(file, results::Database::Access::read);
  results::check_schema(database);
  if (!options.sweep.empty()) return sweep_report(options, database);
  if (options.runs.empty()) throw UserError("name a run, several, --sweep FILE or --experiment PAPER");
  std::vector<results::RunRow> rows;
  for (const std::string& run : options.runs) rows.push_back(results::find_run(database, run));
  return rows.size() == 1 ? results::run_report(database, rows[0]) : results::comparison_report(rows);
}

int report(const ReportOptions& options) {
  const std::string page = make_report(options).html();
  write_file("--output", options.output, page);
  fmt::print("{}: {} bytes\n", options.output, page.size());
  return kSuccess;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command =
      app.add_subcommand("report", "Write a run, a comparison, a sweep or an experiment as one HTML file");
  auto* runs = command->add_option("run", options->runs,
                                   "A run: its number or the beginning of its identity; several: a comparison");
  auto* sweep = command->add_option("--sweep", options->sweep, "The runs of this sweep file")->excludes(runs);
  auto* experiment = command->add_option("--experiment", options->experiment, "PAPER or PAPER/FIGURE")
                         ->excludes(runs)
                         ->excludes(sweep);
  command->add_option("--size", options->size, "Size of every workload instead of the experiment's")->needs(experiment);
  command->add_option("--metric", options->metric, "What a sweep's bars show: a figure or an expression")
      ->needs(sweep)
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "File to write")->capture_default_str();
  add_database_options(*command, options->database, false);
  command->callback([options, &action] { action = [options] { return report(*options); }; });
}

}  // namespace heddle::cli
