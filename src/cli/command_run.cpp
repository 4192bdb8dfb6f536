// heddle run: a workload, or several that share the GPU, from start to checked result.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <utility>

#include "base/files.h"
#include "cli/captured_program.h"
#include "cli/commands.h"
#include "cli/simulation.h"
#include "cli/timeline.h"
#include "session/checks.h"
#include "session/energy.h"
#include "session/profile.h"
#include "session/progress.h"
#include "session/recorder.h"
#include "session/summary.h"

namespace heddle::cli {
namespace {

struct RunOptions {
  RunRequest request;
  std::vector<std::string> workloads;
  DatabaseOptions database;
  TimelineOptions timeline;
  PhaseOptions phases;
  ProfileOptions profile;
  bool energy = false;
};

void print_outcome(results::Status status, const std::string& detail) {
  switch (status) {
    case results::Status::passed:
      fmt::print("  PASSED: {}\n", detail);
      break;
    case results::Status::wrong:
      fmt::print("  FAILED: {}\n", detail);
      break;
    case results::Status::interrupted:
      fmt::print("  INTERRUPTED: {}; the figures above are what was done until then\n", detail);
      break;
    default:
      fmt::print(stderr, "{}\n", detail);
  }
}

int exit_status(results::Status status) {
  if (status == results::Status::passed) return kSuccess;
  return status == results::Status::interrupted ? kInterrupted : kFailure;
}

void print_title(const PreparedRun& run) {
  const bool alone = run.applications.size() == 1;
  if (!alone) {
    fmt::print("{} applications together, {}\n", run.applications.size(), machine_name(run.request.machine));
  }
  for (const Application& application : run.applications) {
    if (as_program(application.workload) != nullptr) {
      fmt::print("  {}: {}\n", application.name, application.size);
      continue;
    }
    fmt::print("{}{}: {} {}{}{}, seed {}", alone ? "" : "  ", application.name, grouped(application.input.elements),
               application.workload->description().unit, application.input.input.empty() ? "" : ", input ",
               application.input.input, application.input.seed);
    fmt::print("{}\n", alone ? ", " + machine_name(run.request.machine) : "");
  }
}

/// As the papers number a kernel, and its own name.
std::string label(const PreparedRun& run, const std::string& kernel) {
  for (const Application& application : run.applications) {
    const std::string_view its = application.workload->label(kernel);
    if (its != kernel) return fmt::format("{} ({})", its, kernel);
  }
  return kernel;
}

void print_summaries(const PreparedRun& run, const Devices& devices, const results::RunOutcome& outcome, bool kernels) {
  std::vector<const runtime::Device*> all;
  for (const auto& device : devices) all.push_back(device.get());
  if (all.size() > 1) {
    print_applications(all, outcome.applications);
    fmt::print("  all together\n");
  }
  print_summary(all, outcome.host_seconds, kernels, stdout,
                [&run](const std::string& kernel) { return label(run, kernel); });
}

int run(RunOptions options) {
  if (options.workloads.empty() && !options.phases.kernels.empty())  // run --kernels bfs
    options.workloads.push_back(std::exchange(options.phases.kernels, ""));
  if (options.workloads.empty()) throw UserError("heddle run: which workload? (heddle list shows those there are)");
  options.request.workload = fmt::format("{}", fmt::join(options.workloads, "+"));
  options.request.phases = options.phases.phases();
  if (options.profile.on && options.request.machine.functional)
    throw UserError("--profile: a functional run takes no time; leave out --functional");
  options.request.machine.profile = options.profile.on;
  const PreparedRun prepared = prepare(options.request);
  if (prepared.applications.size() == 1 && as_program(prepared.applications[0].workload) != nullptr) {
    throw UserError(fmt::format("'{0}' is a compiled program, which has a GPU for itself with: heddle exec -- {0}",
                                options.request.workload));
  }
  if (!options.request.machine.statistics.empty()) require_writable("--stats", options.request.machine.statistics);
  if (!options.timeline.file.empty()) require_writable("--timeline", options.timeline.file);
  prepare_profile(options.profile);
  if (options.energy) {
    if (prepared.gpu == nullptr) throw UserError("--energy: a functional run takes no time, so no energy");
    (void)energy::Report(*prepared.gpu, {});  // refuses what cannot be calculated before the run, not after it
  }
  Recorder recorder(options.database, prepared.description);
  print_title(prepared);
  std::unique_ptr<Timeline> timeline;
  std::vector<ProfileRow> lines;
  auto line = std::make_unique<ProgressLine>(prepared.description.workload);
  const auto progress = [&line](const runtime::Progress& now) { return line->update(now); };
  const auto inspect = [&](const Devices& devices, const results::RunOutcome& outcome) {
    line.reset();
    if (outcome.status != results::Status::error)
      print_summaries(prepared, devices, outcome, options.phases.kernel_lines);
    std::vector<const runtime::Device*> all;
    for (const auto& device : devices) all.push_back(device.get());
    (void)print_findings(all, options.request.machine.check, stdout);
    if (options.energy && outcome.status != results::Status::error) print_energy(*prepared.gpu, outcome.statistics);
    if (options.profile.on) {
      lines = profile_rows(all, options.profile.by);
      write_profile(lines, options.profile, prepared.description.workload, stdout);
    }
    write_statistics(*devices[0], options.request.machine, outcome);
    if (!timeline) return;
    std::vector<Timeline::Program> programs;
    for (std::size_t a = 0; a < devices.size(); ++a)
      programs.push_back({prepared.applications[a].name, devices[a]->launches()});
    if (const std::string left_out = timeline->write(programs); !left_out.empty()) fmt::print("  note: {}\n", left_out);
  };
  const auto attach = [&](gpu::Gpu* gpu) -> std::function<void(std::uint64_t)> {
    if (options.timeline.file.empty()) return {};
    timeline = std::make_unique<Timeline>(options.timeline, gpu);
    return {};  // it samples by itself
  };
  results::RunOutcome outcome = simulate(prepared, progress, inspect, attach);
  outcome.lines = line_records(lines);
  for (const results::ApplicationRecord& application : outcome.applications) {
    if (application.status == results::Status::passed || application.status == results::Status::wrong)
      print_outcome(application.status, fmt::format("{}: {}", application.name, application.detail));
  }
  const bool said = !outcome.applications.empty() &&
                    (outcome.status == results::Status::passed || outcome.status == results::Status::wrong);
  if (!said) print_outcome(outcome.status, outcome.detail);
  recorder.finish(outcome);
  return exit_status(outcome.status);
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Run a bundled workload, or several together, and check the results");
  command->add_option(
      "workload", options->workloads,
      "NAME, NAME:SIZE, NAME:SIZE:SEED or NAME:SIZE:SEED:INPUT of a workload (see: heddle list) or a mix "
      "(heddle list --mixes); "
      "several run together");
  command
      ->add_option("--size", options->request.size,
                   "tiny, small, medium, paper, or a number of the workload's own unit; for those that name none")
      ->capture_default_str();
  command->add_option("--seed", options->request.seed, "Seed of the input generator, for those that name none")
      ->capture_default_str();
  command->add_option("--input", options->request.input,
                      "Kind of input (heddle list --long), for those that name none; default: the workload's first");
  add_machine_options(*command, options->request.machine);
  add_database_options(*command, options->database, true);
  add_phase_options(*command, options->phases);
  add_timeline_options(*command, options->timeline);
  add_check_option(*command, options->request.machine.check);
  add_profile_flag(*command, options->profile);
  command->add_flag("--energy", options->energy, "Print what each component took in energy");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace heddle::cli
