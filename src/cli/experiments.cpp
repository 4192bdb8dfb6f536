#include "cli/experiments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "base/files.h"
#include "base/suggestion.h"
#include "cli/exec_program.h"
#include "gpu/gpu.h"
#include "results/query.h"
#include "session/energy.h"
#include "session/machine.h"
#include "session/program.h"
#include "session/records.h"
#include "study/toml_reader.h"

namespace heddle::cli {

namespace fs = std::filesystem;

std::string experiment_folder() {
  if (const char* chosen = std::getenv("HEDDLE_EXPERIMENTS"); chosen != nullptr) return chosen;
  return (fs::path(session::preset_folder()).parent_path() / "experiments").string();
}

std::vector<std::string> experiment_papers() {
  std::vector<std::string> names;
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(experiment_folder(), missing)) {
    const std::string name = entry.path().filename().string();
    const bool has_claims = fs::exists(fs::path(experiment_folder()) / "claims" / (name + ".toml"));
    if (entry.is_directory() && has_claims) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

namespace {

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
        throw UserError(
            fmt::format("there are no experiments of '{}' (papers: {})", name, fmt::join(experiment_papers(), ", ")));
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

study::Sensitivity find_sensitivity(const std::string& name) {
  // What assumptions may name is what any experiment of the paper runs, also if only one figure is asked for.
  const bool is_file = name.ends_with(".toml");
  const fs::path folder =
      is_file ? fs::absolute(name).parent_path() : fs::path(experiment_folder()) / name.substr(0, name.find('/'));
  const fs::path file = folder.parent_path() / "sensitivity" / (folder.filename().string() + ".toml");
  if (!fs::exists(file)) {
    std::vector<std::string> known;
    for (const fs::path& other : figures(file.parent_path())) known.push_back(other.stem().string());
    throw UserError(fmt::format("there are no assumptions of '{}': {} is missing (there are those of: {})", name,
                                file.string(), known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
  }
  std::vector<study::Experiment> all;
  for (const fs::path& figure : figures(folder)) {
    for (study::Experiment& experiment : find_experiments(figure.string())) all.push_back(std::move(experiment));
  }
  return study::parse_sensitivity(read_file(file.string()), file.string(), all);
}

PaperResults paper_results(const std::string& paper) {
  PaperResults results;
  results.paper = paper;
  const fs::path folder(experiment_folder());
  const std::string claims = (folder / "claims" / (paper + ".toml")).string();
  results.title = study::title_of(claims);
  results.claims = study::read_claims(claims);
  const fs::path notes = folder / "notes" / (paper + ".toml");
  if (fs::exists(notes)) results.notes = study::parse_notes(read_file(notes.string()), notes.string(), results.claims);
  return results;
}

namespace {

/// What an experiment names is looked up before anything runs; mistakes are collected with their places.
/// What a figure of an application's run alone begins with in metrics of a mix.
std::string alone_prefix(std::size_t application) { return fmt::format("alone_{}.", application); }

class NameCheck {
 public:
  explicit NameCheck(const study::Experiment& experiment) : experiment_(experiment), diagnostics_(experiment.file) {}

  void run() {
    for (const std::string& workload : experiment_.workloads) {
      const auto input = experiment_.inputs.find(workload);
      attempt(workload, [&] {
        if (experiment_.is_program(workload)) return check_program(find_program(split_words(workload).at(0)));
        const auto applications = parse_applications(workload, experiment_.size_of(workload), 1,
                                                     input == experiment_.inputs.end() ? "" : input->second);
        applications_ = std::max(applications_, static_cast<unsigned>(applications.size()));
      });
    }
    attempt(experiment_.gpu, [&] { add_figures({}); });
    if (diagnostics_.ok()) {
      if (!experiment_.alone.empty()) attempt(experiment_.alone, [&] { add_figures({experiment_.alone, {}}); });
      for (const std::string& design : experiment_.designs) {
        const auto variant = experiment_.variants.find(design);
        attempt(design, [&] {
          add_figures(variant == experiment_.variants.end() ? study::Variant{design, {}} : variant->second);
        });
      }
    }
    if (diagnostics_.ok()) {
      add_mix_figures();
      check_metric(experiment_.metric);
      for (const study::Answer& answer : experiment_.answers) {
        check_metric(answer.metric);
        for (const results::Expression& figure : answer.rises) check_figures(figure);
      }
    }
    diagnostics_.throw_if_errors();
  }

 private:
  template <typename Function>
  void attempt(const std::string& name, Function&& function) {
    try {
      function();
    } catch (const UserError& error) {
      complain(name, error.what());
    }
  }
  void complain(const std::string& name, const std::string& message) {
    const auto place = experiment_.places.find(name);
    diagnostics_.error(place == experiment_.places.end() ? SourcePlace{} : place->second, message);
  }
  void add_figures(const study::Variant& design) {
    session::MachineOptions machine;
    machine.gpu = experiment_.gpu;
    machine.design = design.design;
    machine.changes = experiment_.changes;
    machine.changes.insert(machine.changes.end(), design.changes.begin(), design.changes.end());
    const std::set<std::string>& figures = figures_of(machine, applications_);
    figures_.insert(figures.begin(), figures.end());
  }
  /// The statistics and parameters that a run on this machine has. Experiments of a paper share most of their machines.
  static const std::set<std::string>& figures_of(session::MachineOptions machine, unsigned applications) {
    static std::map<std::string, std::set<std::string>> known;
    const std::string key =
        fmt::format("{}\n{}\n{}\n{}", machine.gpu, machine.design, fmt::join(machine.changes, "\n"), applications);
    if (const auto found = known.find(key); found != known.end()) return found->second;
    std::set<std::string> figures;
    for (const auto& [path, value] : session::effective_configuration(*load_machine(machine))) figures.insert(path);
    // One SM and one partition for each application have every statistic there is.
    machine.changes.insert(machine.changes.end(), {"sms=1", fmt::format("memory.partitions={}", applications)});
    const auto smallest = load_machine(machine);
    gpu::Gpu gpu(*smallest, 1, applications);
    for (const auto& [path, value] : gpu.counters().totals()) figures.insert(path);
    std::map<std::string, double> energies;
    session::add_energy(*smallest, energies);
    for (const auto& [path, value] : energies) figures.insert(path);
    return known[key] = std::move(figures);
  }
  /// Figures of runs that share the GPU.
  void add_mix_figures() {
    const std::set<std::string> of_one = figures_;
    for (unsigned a = 0; a < applications_; ++a) {
      for (const char* figure : {"cycles", "instructions", "ended", "all_instructions"})
        figures_.insert(fmt::format("mix.application_{}.{}", a, figure));
      if (experiment_.alone.empty()) continue;
      for (const std::string& figure : of_one) figures_.insert(alone_prefix(a) + figure);
    }
    if (!experiment_.alone.empty()) figures_.insert(sharing_figures().begin(), sharing_figures().end());
    figures_.insert({"mix.ipc", "mix.cycles"});
  }
  void check_metric(const study::Metric& metric) {
    check_figures(metric.of_run);
    check_figures(metric.weight);
  }
  void check_figures(const results::Expression& expression) {
    for (const std::string& name : expression.names()) {
      if (figures_.contains(name)) continue;
      const std::string meant = nearest(name, {figures_.begin(), figures_.end()});
      complain(expression.text(), fmt::format("no run has a figure '{}' ({}see: heddle stats)", name,
                                              meant.empty() ? "" : fmt::format("did you mean '{}'? ", meant)));
    }
  }

  const study::Experiment& experiment_;
  unsigned applications_ = 1;  ///< most of a run
  Diagnostics diagnostics_;
  std::set<std::string> figures_{results::field_names().begin(), results::field_names().end()};
};

}  // namespace

namespace {

/// The runs of a mix for each division of the SMs.
std::vector<MixRuns> plan_mixes(const study::Experiment& experiment, RunRequest request) {
  const auto applications = parse_applications(request.workload, request.size, request.seed, request.input);
  const unsigned sms = load_machine(request.machine)->sms;
  MachineOptions alone = request.machine;
  alone.design = experiment.alone;
  alone.changes = experiment.changes;
  for (MachineOptions* machine : {&request.machine, &alone}) machine->changes.emplace_back("sharing.relaunch=true");
  std::vector<MixRuns> mixes;
  for (const std::string& split : experiment.splits)
    mixes.push_back(plan_mix(request, applications, parse_split(split, sms, applications.size()), alone));
  return mixes;
}

/// The division with the best weighted speedup; nothing if a run is missing.
struct BestMix {
  const results::RunRow* shared = nullptr;
  std::vector<const results::RunRow*> alone;
  SharingMetrics metrics;

  [[nodiscard]] std::optional<double> figure(const std::string& name) const {
    if (const auto of_sharing = sharing_figure(metrics, name)) return of_sharing;
    for (std::size_t a = 0; a < alone.size(); ++a) {
      if (name.starts_with(alone_prefix(a)))
        return results::to_number(alone[a]->get(name.substr(alone_prefix(a).size())));
    }
    return results::to_number(shared->get(name));
  }
};
std::optional<BestMix> best_mix(const std::vector<MixRuns>& mixes, const std::map<std::string, results::RunRow>& rows) {
  std::optional<BestMix> best;
  for (const MixRuns& mix : mixes) {
    const auto metrics = metrics_of(mix, rows);
    if (!metrics) return std::nullopt;
    if (best && metrics->weighted_speedup <= best->metrics.weighted_speedup) continue;
    best = BestMix{&rows.at(mix.shared.identity), {}, *metrics};
    for (const PlannedRun& run : mix.alone) best->alone.push_back(&rows.at(run.identity));
  }
  return best;
}

}  // namespace

PlannedExperiment plan_experiment(const study::Experiment& experiment) {
  NameCheck(experiment).run();
  PlannedExperiment planned;
  planned.experiment = experiment;
  for (const auto& [key, point] : study::points_of(experiment)) {
    if (experiment.alone.empty()) {
      planned.runs.emplace(key, plan_one(to_request(point)));
      continue;
    }
    std::vector<MixRuns> mixes = plan_mixes(experiment, to_request(point));
    planned.runs.emplace(key, mixes.front().shared);
    planned.mixes.emplace(key, std::move(mixes));
  }
  return planned;
}

std::vector<PlannedRun> PlannedExperiment::all_runs() const {
  std::vector<PlannedRun> all;
  if (mixes.empty()) {
    for (const auto& [key, run] : runs) all.push_back(run);
  }
  for (const auto& [key, splits] : mixes) {
    for (const MixRuns& mix : splits) {
      all.push_back(mix.shared);
      all.insert(all.end(), mix.alone.begin(), mix.alone.end());
    }
  }
  return all;
}

study::ExperimentResult evaluate_experiment(const PlannedExperiment& planned, const std::string& database) {
  const auto open = results::open_results(database);
  std::set<std::string> identities;
  for (const PlannedRun& run : planned.all_runs()) identities.insert(run.identity);
  const std::map<std::string, results::RunRow> rows = results::passed_runs(*open, identities);
  const study::Measure measure = [&](const study::Key& key,
                                     const results::Expression& metric) -> std::optional<double> {
    if (const auto mixes = planned.mixes.find(key); mixes != planned.mixes.end()) {
      const auto best = best_mix(mixes->second, rows);
      if (!best) return std::nullopt;
      return metric.value([&](const std::string& name) { return best->figure(name); });
    }
    const auto run = planned.runs.find(key);
    if (run == planned.runs.end()) return std::nullopt;
    const auto row = rows.find(run->second.identity);
    if (row == rows.end()) return std::nullopt;
    return row->second.number(metric);
  };
  return study::evaluate(planned.experiment, measure);
}

}  // namespace heddle::cli
