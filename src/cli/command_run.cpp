// heddle run: one workload, start to checked result.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/simulation.h"
#include "cli/timeline.h"
#include "session/progress.h"
#include "session/recorder.h"
#include "session/summary.h"

namespace heddle::cli {
namespace {

struct RunOptions {
  RunRequest request;
  DatabaseOptions database;
  TimelineOptions timeline;
  bool kernels = false;
};

void print_outcome(const results::RunOutcome& outcome) {
  switch (outcome.status) {
    case results::Status::passed:
      fmt::print("  PASSED: {}\n", outcome.detail);
      break;
    case results::Status::wrong:
      fmt::print("  FAILED: {}\n", outcome.detail);
      break;
    case results::Status::interrupted:
      fmt::print("  INTERRUPTED: {}; the figures above are those of the launches that ended\n", outcome.detail);
      break;
    default:
      fmt::print(stderr, "{}\n", outcome.detail);
  }
}

int exit_status(results::Status status) {
  if (status == results::Status::passed) return kSuccess;
  return status == results::Status::interrupted ? kInterrupted : kFailure;
}

int run(const RunOptions& options) {
  const PreparedRun prepared = prepare(options.request);
  const workloads::Workload& workload = *prepared.workload;
  Recorder recorder(options.database, prepared.description);
  fmt::print("{}: {} {}, seed {}, {}\n", workload.name(), grouped(prepared.input.elements), workload.description().unit,
             prepared.input.seed, machine_name(options.request.machine));
  std::unique_ptr<Timeline> timeline;
  auto line = std::make_unique<ProgressLine>(std::string(workload.name()));
  const auto progress = [&line](const runtime::Progress& now) { return line->update(now); };
  const auto inspect = [&](const runtime::Device& device, const results::RunOutcome& outcome) {
    line.reset();
    if (outcome.status != results::Status::error) print_summary(device, outcome.host_seconds, options.kernels);
    write_statistics(device, options.request.machine);
    if (!timeline) return;
    if (const std::string left_out = timeline->write(device); !left_out.empty()) fmt::print("  note: {}\n", left_out);
  };
  const auto attach = [&](runtime::Device& device) -> std::function<void(std::uint64_t)> {
    if (options.timeline.file.empty()) return {};
    timeline = std::make_unique<Timeline>(options.timeline, device);
    return [&timeline](std::uint64_t now) { timeline->sample(now); };
  };
  const results::RunOutcome outcome = simulate(prepared, progress, inspect, attach);
  print_outcome(outcome);
  recorder.finish(outcome);
  return exit_status(outcome.status);
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Run a bundled workload and check its result");
  command->add_option("workload", options->request.workload, "Name of the workload (see: heddle list)")->required();
  command->add_option("--size", options->request.size, "tiny, small, medium, or a number of the workload's own unit")
      ->capture_default_str();
  command->add_option("--seed", options->request.seed, "Seed of the input generator")->capture_default_str();
  add_machine_options(*command, options->request.machine);
  add_database_options(*command, options->database, true);
  add_timeline_options(*command, options->timeline);
  command->add_flag("--kernels", options->kernels, "Print a line per kernel launch");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace heddle::cli
