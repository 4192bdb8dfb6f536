// heddle report: a run, a comparison, a sweep or an experiment as one HTML file.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/experiments.h"
#include "cli/figure.h"
#include "cli/variants.h"
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

results::BarSection bars_of(const plot::BarChart& chart, const std::string& title, const std::string& note) {
  results::BarSection bars{title, note, chart.y_title, chart.groups, {}, false, {}, chart.apart, chart.legend_title};
  for (std::size_t v = 0; v < chart.variants.size(); ++v) {
    auto& series = bars.series.emplace_back();
    series.name = chart.variants[v];
    for (const auto& bar : chart.bars[v]) {
      series.values.push_back(bar ? std::optional(bar->value) : std::nullopt);
      series.errors.push_back(bar ? bar->high - bar->value : 0.0);
    }
  }
  return bars;
}

results::Report sweep_report(const ReportOptions& options, const results::Database& database) {
  const SweepRuns runs = sweep_runs(options.sweep, database);
  const std::vector<results::RunRow>& rows = runs.rows;
  FigureOptions wanted;
  wanted.metric = options.metric;
  Figure figure = figure_of_runs(rows, wanted);
  figure.shorten();
  results::Report report(runs.sweep.name, runs.sweep.description);
  report.add(bars_of(figure.chart, fmt::format("{} relative to {}", figure.metric, figure.baseline),
                     fmt::format("Geometric mean over seeds; each workload normalised to {}.{}", figure.baseline,
                                 figure.metric == options.metric ? "" : " In time, because the clocks differ.")));
  std::vector<std::string> columns{"id", "workload", "size", "seed"};
  for (const std::string& key : figure.keys) {
    if (key != "size") columns.push_back(key);
  }
  columns.insert(columns.end(), {"cycles", "seconds", "ipc", "host_seconds"});
  if (options.metric != "cycles" && options.metric != "seconds") columns.push_back(options.metric);
  report.add(results::TableSection{"Runs",
                                   fmt::format("{} of {} runs of the sweep have passed.", rows.size(), runs.planned),
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
    report.add(bars_of(chart_of_experiment(experiment, result), experiment.title, ""));
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
  const auto opened = results::open_results(file);
  const results::Database& database = *opened;
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
