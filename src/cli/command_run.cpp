// heddle run: one workload, start to checked result.
#include <fmt/format.h>

#include <charconv>
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
  std::string warmup;
  std::string window;
};

/// "100000" or "100000cycles"; throws UserError that names the option.
runtime::Amount parse_amount(const char* option, const std::string& text) {
  runtime::Amount amount;
  if (text.empty()) return amount;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount.value);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (error != std::errc() || (!unit.empty() && unit != "instructions" && unit != "cycles") || amount.value == 0) {
    throw UserError(fmt::format("{} {}: must be a number from 1, followed by 'cycles' if it is not warp instructions",
                                option, text));
  }
  amount.unit = unit == "cycles" ? runtime::Amount::Unit::cycles : runtime::Amount::Unit::instructions;
  return amount;
}

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

int run(RunOptions options) {
  options.request.phases.warmup = parse_amount("--warmup", options.warmup);
  options.request.phases.window = parse_amount("--window", options.window);
  const PreparedRun prepared = prepare(options.request);
  const workloads::Workload& workload = *prepared.workload;
  Recorder recorder(options.database, prepared.description);
  fmt::print("{}: {} {}, seed {}, {}\n", workload.name(), grouped(prepared.input.elements), workload.description().unit,
             prepared.input.seed, machine_name(options.request.machine));
  std::unique_ptr<Timeline> timeline;
  auto line = std::make_unique<ProgressLine>(std::string(workload.name()));
  const auto progress = [&line](const runtime::Progress& now) { return line->update(now); };
  const auto label = [&workload](const std::string& kernel) {
    const std::string_view its = workload.label(kernel);
    return its == kernel ? kernel : fmt::format("{} ({})", its, kernel);
  };
  const auto inspect = [&](const runtime::Device& device, const results::RunOutcome& outcome) {
    line.reset();
    if (outcome.status != results::Status::error)
      print_summary(device, outcome.host_seconds, options.kernels, stdout, label);
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
  command
      ->add_option("--size", options->request.size,
                   "tiny, small, medium, paper, or a number of the workload's own unit")
      ->capture_default_str();
  command->add_option("--seed", options->request.seed, "Seed of the input generator")->capture_default_str();
  add_machine_options(*command, options->request.machine);
  add_database_options(*command, options->database, true);
  command->add_option("--start-kernel", options->request.phases.first_launch,
                      "First launch to time, counted from 0; those before are executed without timing");
  command->add_option("--skip", options->request.phases.skip,
                      "Then execute this many warp instructions without timing, in whole blocks");
  command->add_option("--warmup", options->warmup,
                      "Time but do not count this many warp instructions, or core cycles if it ends in 'cycles'");
  command->add_option("--window", options->window,
                      "Count this many, then start no more timed blocks and execute the rest without timing");
  add_timeline_options(*command, options->timeline);
  command->add_flag("--kernels", options->kernels, "Print a line per kernel launch");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace heddle::cli
