#include "cli/experiments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "results/query.h"
#include "session/machine.h"

namespace heddle::cli {

namespace fs = std::filesystem;

std::string experiment_folder() {
  if (const char* chosen = std::getenv("HEDDLE_EXPERIMENTS"); chosen != nullptr) return chosen;
  return (fs::path(session::preset_folder()).parent_path() / "experiments").string();
}

namespace {

std::vector<std::string> papers() {
  std::vector<std::string> names;
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(experiment_folder(), missing)) {
    if (entry.is_directory() && entry.path().filename() != "claims") names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<fs::path> figures(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, missing)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<study::Experiment> find_experiments(const std::string& name) {
  std::vector<fs::path> files;
  fs::path claims;
  if (name.ends_with(".toml")) {
    files = {name};
    claims = fs::absolute(name).parent_path().parent_path() / "claims";
  } else {
    claims = fs::path(experiment_folder()) / "claims";
    const fs::path folder(experiment_folder());
    const std::string paper = name.substr(0, name.find('/'));
    if (name.find('/') == std::string::npos) {
      files = figures(folder / name);
      if (files.empty())
        throw UserError(fmt::format("there are no experiments of '{}' (papers: {})", name, fmt::join(papers(), ", ")));
    } else {
      files = {folder / (name + ".toml")};
      std::string known;
      for (const fs::path& file : figures(folder / paper)) known += (known.empty() ? "" : ", ") + file.stem().string();
      if (!fs::exists(files[0]))
        throw UserError(
            fmt::format("there is no experiment '{}' (of {}: {})", name, paper, known.empty() ? "none" : known));
    }
  }
  std::vector<study::Experiment> experiments;
  for (const fs::path& file : files) {
    const fs::path of_paper = claims / (fs::absolute(file).parent_path().filename().string() + ".toml");
    experiments.push_back(study::read_experiment(file.string(), study::read_claims(of_paper.string())));
  }
  return experiments;
}

PlannedExperiment plan_experiment(const study::Experiment& experiment) {
  PlannedExperiment planned;
  planned.experiment = experiment;
  std::set<std::string> skipped;
  for (const auto& [key, point] : study::points_of(experiment)) {
    try {
      PlannedRun run;
      run.request = to_request(point);
      run.identity = results::identity(prepare(run.request).description);
      planned.runs.emplace(key, std::move(run));
    } catch (const UserError& error) {
      const std::string text = error.what();
      skipped.insert(text.substr(0, text.find(" (known")));
    }
  }
  planned.skipped.assign(skipped.begin(), skipped.end());
  return planned;
}

study::ExperimentResult evaluate_experiment(const PlannedExperiment& planned, const std::string& database) {
  const results::Database open(database, results::Database::Access::read);
  std::set<std::string> identities;
  for (const auto& [key, run] : planned.runs) identities.insert(run.identity);
  const std::map<std::string, results::RunRow> rows = results::passed_runs(open, identities);
  const study::Measure measure = [&](const study::Key& key,
                                     const results::Expression& metric) -> std::optional<double> {
    const auto run = planned.runs.find(key);
    if (run == planned.runs.end()) return std::nullopt;
    const auto row = rows.find(run->second.identity);
    if (row == rows.end()) return std::nullopt;
    return row->second.number(metric);
  };
  return study::evaluate(planned.experiment, measure);
}

}  // namespace heddle::cli
