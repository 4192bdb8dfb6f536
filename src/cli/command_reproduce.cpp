// heddle reproduce: the experiments of a paper, from runs to verdicts.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <optional>
#include <thread>

#include "cli/commands.h"
#include "cli/experiments.h"
#include "cli/reproduction_page.h"
#include "cli/sensitivity_section.h"
#include "results/table.h"

namespace heddle::cli {
namespace {

struct ReproduceOptions {
  std::string name;
  int chapter = 0;
  DatabaseOptions database;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  std::string size;
  unsigned seeds = 0;  ///< 0: as the experiments have them
  bool no_run = false;
  bool markdown = false;
  bool sensitivity = false;
};

std::string cell_text(const study::Figure& figure) {
  return figure.spread == 0 ? fmt::format("{:.3f}", figure.value)
                            : fmt::format("{:.3f} ± {:.2g}", figure.value, figure.spread);
}

void print_table(const study::Experiment& experiment, const study::ExperimentResult& result) {
  results::Table table;
  table.columns.emplace_back(experiment.shows);
  for (const std::string& design : experiment.designs) table.columns.push_back(design);
  for (std::size_t r = 0; r < result.rows.size(); ++r) {
    std::vector<results::Value> row{result.rows[r]};
    for (const auto& cell : result.cells[r]) row.emplace_back(cell ? cell_text(*cell) : std::string("-"));
    table.rows.push_back(std::move(row));
  }
  fmt::print("{}", results::to_columns(table));
}

void print_verdicts(const std::vector<study::Judgement>& judgements) {
  for (const study::Judgement& judgement : judgements) {
    const std::string reading = judgement.reading.empty() ? "" : fmt::format(", {}", judgement.reading);
    fmt::print("  {:<15} {} ({}{}): {}\n  {:<15} paper: {}; here: {}\n", study::to_string(judgement.verdict),
               judgement.claim.id, judgement.claim.section, reading, judgement.claim.statement, "",
               study::value_text(judgement.claim), judgement.found);
  }
}

std::string command_text(const ReproduceOptions& options) {
  return fmt::format("heddle reproduce {}{}{}{}{}{}", options.name,
                     options.size.empty() ? "" : " --size " + options.size,
                     options.chapter == 0 ? "" : fmt::format(" --chapter {}", options.chapter),
                     options.seeds == 0 ? "" : fmt::format(" --seeds {}", options.seeds),
                     options.sensitivity ? " --sensitivity" : "", options.markdown ? " --markdown" : "");
}

std::vector<PlannedExperiment> plan_all(const std::vector<study::Experiment>& experiments) {
  std::vector<PlannedExperiment> planned;
  planned.reserve(experiments.size());
  for (const study::Experiment& experiment : experiments) planned.push_back(plan_experiment(experiment));
  return planned;
}

std::vector<study::Judgement> judge_all(const std::vector<PlannedExperiment>& planned, const std::string& database) {
  std::vector<study::Judgement> judgements;
  for (const PlannedExperiment& one : planned) {
    const study::ExperimentResult result = evaluate_experiment(one, database);
    judgements.insert(judgements.end(), result.judgements.begin(), result.judgements.end());
  }
  return study::put_together(judgements);
}

/// The experiments once more, as they are and under each assumption, over the seeds that these are judged over.
class PlannedSensitivity {
 public:
  PlannedSensitivity(const std::string& name, std::vector<study::Experiment> experiments)
      : sensitivity_(find_sensitivity(name)) {
    std::erase_if(experiments, [&](const study::Experiment& one) { return !sensitivity_.judges(one); });
    if (experiments.empty())
      throw UserError(fmt::format("{}: assumptions are judged by {} only, and none of them is asked for", name,
                                  fmt::join(sensitivity_.figures, ", ")));
    for (study::Experiment& experiment : experiments) {
      if (!sensitivity_.seeds.empty()) experiment.seeds = sensitivity_.seeds;
    }
    as_it_is_ = plan_all(experiments);
    for (const study::Assumption& assumption : sensitivity_.assumptions) {
      try {
        std::vector<study::Experiment> changed;
        changed.reserve(experiments.size());
        for (const study::Experiment& experiment : experiments) changed.push_back(study::under(assumption, experiment));
        under_.push_back(plan_all(changed));
      } catch (const UserError& error) {
        throw UserError(fmt::format("under the assumption '{}': {}", assumption.name, error.what()));
      }
    }
  }

  void add_runs(std::vector<PlannedRun>& runs) const {
    add_runs(as_it_is_, runs);
    for (const auto& planned : under_) add_runs(planned, runs);
  }
  static void add_runs(const std::vector<PlannedExperiment>& planned, std::vector<PlannedRun>& runs) {
    for (const PlannedExperiment& one : planned) {
      const std::vector<PlannedRun> all = one.all_runs();
      runs.insert(runs.end(), all.begin(), all.end());
    }
  }

  [[nodiscard]] SensitivityResults results(const std::string& database) const {
    SensitivityResults results;
    results.seeds = sensitivity_.seeds;
    results.figures = sensitivity_.figures;
    results.as_it_is = judge_all(as_it_is_, database);
    for (std::size_t a = 0; a < under_.size(); ++a)
      results.assumptions.push_back({sensitivity_.assumptions[a], judge_all(under_[a], database)});
    return results;
  }

 private:
  study::Sensitivity sensitivity_;
  std::vector<PlannedExperiment> as_it_is_;
  std::vector<std::vector<PlannedExperiment>> under_;
};

int reproduce(const ReproduceOptions& options) {
  const std::string database = options.database.file();
  if (database.empty()) throw UserError("experiments need a results database: name one with --db");
  std::vector<study::Experiment> experiments = find_experiments(options.name);
  if (options.chapter != 0) std::erase_if(experiments, [&](const auto& e) { return e.chapter != options.chapter; });
  if (experiments.empty())
    throw UserError(fmt::format("{} has no experiment of chapter {}", options.name, options.chapter));
  for (study::Experiment& experiment : experiments) {
    if (!options.size.empty()) experiment.take_size(options.size);
    if (options.seeds != 0) experiment.take_seeds(options.seeds);
  }
  const std::vector<PlannedExperiment> planned = plan_all(experiments);
  std::optional<PlannedSensitivity> sensitivity;
  if (options.sensitivity) sensitivity.emplace(options.name, experiments);
  std::vector<PlannedRun> wanted;
  PlannedSensitivity::add_runs(planned, wanted);
  if (sensitivity) sensitivity->add_runs(wanted);
  const std::vector<PlannedRun> left = missing(wanted, database);
  if (!options.markdown)
    fmt::print("{}: {} experiments, {} runs to do\n", options.name, experiments.size(),
               options.no_run ? 0 : left.size());
  std::fflush(stdout);
  int status = kSuccess;
  if (!options.no_run && !left.empty()) {
    const PoolResult result = run_all(left, {options.name, database, options.jobs, false, ""});
    status = report_pool(result, command_text(options));
    if (result.interrupted) return status;
  }
  if (options.markdown) {
    PaperResults results = paper_results(options.name.substr(0, options.name.find('/')));
    results.command = command_text(options);
    for (const PlannedExperiment& one : planned)
      results.experiments.emplace_back(one.experiment, evaluate_experiment(one, database));
    if (sensitivity) results.sensitivity = sensitivity->results(database);
    fmt::print("{}", reproduction_page(results));
    return status;
  }
  std::vector<study::Judgement> judgements;
  for (const PlannedExperiment& one : planned) {
    const study::ExperimentResult result = evaluate_experiment(one, database);
    fmt::print("\n{}/{}: {}\n", one.experiment.paper, one.experiment.figure, one.experiment.title);
    print_table(one.experiment, result);
    print_verdicts(result.judgements);
    judgements.insert(judgements.end(), result.judgements.begin(), result.judgements.end());
  }
  fmt::print("\n{}\n", text_of(count_verdicts(study::put_together(judgements))));
  if (sensitivity) fmt::print("\n{}", sensitivity_lines(sensitivity->results(database)));
  return status;
}

}  // namespace

void add_reproduce(CLI::App& app, Action& action) {
  auto options = std::make_shared<ReproduceOptions>();
  CLI::App* command =
      app.add_subcommand("reproduce", "Run the experiments of a paper that are missing, and compare with its claims");
  command->add_option("name", options->name, "PAPER, PAPER/FIGURE or a .toml file")->required();
  command->add_option("--chapter", options->chapter, "Only the figures of this chapter");
  command->add_option("--size", options->size, "Size of every workload instead of the experiment's");
  command
      ->add_option("--seeds", options->seeds,
                   "Judge over so many seeds of inputs, 1 and on, instead of the experiment's")
      ->check(CLI::Range(1, 100));
  command->add_flag("--sensitivity", options->sensitivity,
                    "Judge again with each assumption of experiments/sensitivity/PAPER.toml changed");
  command->add_option("--jobs", options->jobs, "Runs at a time")->capture_default_str()->check(CLI::Range(1, 1024));
  command->add_flag("--no-run", options->no_run, "Only evaluate what the database holds");
  command->add_flag("--markdown", options->markdown, "Print the page docs/reproduction/PAPER.md instead");
  add_database_options(*command, options->database, false);
  command->callback([options, &action] { action = [options] { return reproduce(*options); }; });
}

}  // namespace heddle::cli
