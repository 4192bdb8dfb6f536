// Finding experiments, and tying them to runs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/mix.h"
#include "cli/reproduction_page.h"
#include "cli/run_pool.h"
#include "study/experiment.h"
#include "study/sensitivity.h"

namespace heddle::cli {

/// The folder of the shipped experiments: $HEDDLE_EXPERIMENTS, or beside the presets.
[[nodiscard]] std::string experiment_folder();
/// The papers whose experiments are shipped.
[[nodiscard]] std::vector<std::string> experiment_papers();
/// "PAPER", "PAPER/FIGURE" or a file. Throws UserError that names those there are.
[[nodiscard]] std::vector<study::Experiment> find_experiments(const std::string& name);

/// The assumptions of those experiments' paper: experiments/sensitivity/PAPER.toml, or sensitivity/ beside the folder
/// of a file. Throws UserError if there are none.
[[nodiscard]] study::Sensitivity find_sensitivity(const std::string& name);

/// A paper's title, claims and notes, without results.
[[nodiscard]] PaperResults paper_results(const std::string& paper);

struct PlannedExperiment {
  study::Experiment experiment;
  std::map<study::Key, PlannedRun> runs;
  std::map<study::Key, std::vector<MixRuns>> mixes;  ///< with runs alone: for each division of the SMs

  [[nodiscard]] std::vector<PlannedRun> all_runs() const;
};
/// Throws UserError that names every workload, GPU, design and figure that there is none of, with its place in the
/// file.
[[nodiscard]] PlannedExperiment plan_experiment(const study::Experiment& experiment);
[[nodiscard]] study::ExperimentResult evaluate_experiment(const PlannedExperiment& planned,
                                                          const std::string& database);

}  // namespace heddle::cli
