// heddle run: one workload, start to checked result.
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <memory>

#include "cli/commands.h"
#include "cli/machine_options.h"
#include "cli/progress.h"
#include "cli/summary.h"
#include "cli/workload_options.h"
#include "runtime/machine.h"
#include "workloads/workload.h"

namespace heddle::cli {
namespace {

struct RunOptions {
  std::string workload;
  std::string size = "small";
  std::uint64_t seed = 1;
  bool kernels = false;
  std::uint64_t first_launch = 0;
  std::string warmup;
  std::string window;
  MachineOptions machine;
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

runtime::Phases parse_phases(const RunOptions& options) {
  const runtime::Phases phases{options.first_launch, parse_amount("--warmup", options.warmup),
                               parse_amount("--window", options.window)};
  if (!phases.given()) return phases;
  if (options.machine.functional)
    throw UserError("--start-kernel, --warmup and --window need a timed run; leave out --functional");
  if (!options.machine.statistics.empty())
    throw UserError("--stats writes the whole run; it does not go with --start-kernel, --warmup or --window");
  return phases;
}

int run(const RunOptions& options) {
  const workloads::Workload& workload = find_workload(options.workload);
  workloads::Request request;
  request.elements = resolve_size(workload, options.size);
  request.seed = options.seed;

  const runtime::Device::Options device_options = cli::device_options(options.machine);
  runtime::MachineOptions machine_options{device_options.gpu, device_options.threads, 1, {}, parse_phases(options), {}};
  fmt::print("{}: {} {}, seed {}, {}\n", workload.name(), grouped(request.elements), workload.description().unit,
             request.seed, machine_name(options.machine));
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  auto line = std::make_unique<ProgressLine>(std::string(workload.name()));
  machine_options.progress = [&line](const runtime::Progress& progress) { return line->update(progress); };
  runtime::Device device(std::make_shared<runtime::Machine>(machine_options), device_options);
  try {
    const workloads::Outcome outcome = workload.run(device, request);
    line.reset();
    print_summary(device, elapsed(), workload, options.kernels);
    write_statistics(device, options.machine);
    fmt::print("  {}: {}\n", outcome.passed ? "PASSED" : "FAILED", outcome.detail);
    return outcome.passed ? kSuccess : kFailure;
  } catch (const runtime::Interrupted& stop) {
    line.reset();
    print_summary(device, elapsed(), workload, options.kernels);
    write_statistics(device, options.machine);
    fmt::print("  INTERRUPTED: {}; the figures above are those of the launches that ended\n", stop.what());
    return kInterrupted;
  }
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Run a bundled workload and check its result");
  command->add_option("workload", options->workload, "Name of the workload (see: heddle list)")->required();
  command->add_option("--size", options->size, "tiny, small, medium, paper, or a number of the workload's own unit")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of the input generator")->capture_default_str();
  add_machine_options(*command, options->machine);
  command->add_option("--start-kernel", options->first_launch,
                      "First launch to time, counted from 0; those before are executed without timing");
  command->add_option("--warmup", options->warmup,
                      "Time but do not count this many warp instructions, or core cycles if it ends in 'cycles'");
  command->add_option("--window", options->window,
                      "Count this many, then execute without timing from the next launch on");
  command->add_flag("--kernels", options->kernels, "Print a line per kernel launch");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace heddle::cli
