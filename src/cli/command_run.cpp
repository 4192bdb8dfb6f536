// heddle run: one workload, start to checked result.
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <memory>

#include "cli/commands.h"
#include "cli/machine_options.h"
#include "cli/progress.h"
#include "cli/summary.h"
#include "workloads/workload.h"

namespace heddle::cli {
namespace {

struct RunOptions {
  std::string workload;
  std::string size = "small";
  std::uint64_t seed = 1;
  bool kernels = false;
  MachineOptions machine;
};

const workloads::Workload& find_workload(const std::string& name) {
  if (const workloads::Workload* found = workloads::find(name)) return *found;
  std::string known;
  for (const workloads::Workload* w : workloads::all())
    known += fmt::format("{}{}", known.empty() ? "" : ", ", w->name());
  throw UserError(fmt::format("there is no workload '{}' (known: {})", name, known));
}

std::uint64_t resolve_size(const workloads::Workload& workload, const std::string& text) {
  std::string known;
  for (const workloads::SizePreset& preset : workload.sizes()) {
    if (preset.name == text) return preset.elements;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", preset.name);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto [least, most] = workload.size_range();
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    throw UserError(fmt::format("--size {}: must be one of {} or a number of {} from {} to {}", text, known,
                                workload.description().unit, least, most));
  }
  return value;
}

int run(const RunOptions& options) {
  const workloads::Workload& workload = find_workload(options.workload);
  workloads::Request request;
  request.elements = resolve_size(workload, options.size);
  request.seed = options.seed;

  runtime::Device::Options device_options = cli::device_options(options.machine);
  fmt::print("{}: {} {}, seed {}, {}\n", workload.name(), grouped(request.elements), workload.description().unit,
             request.seed, machine_name(options.machine));
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  auto line = std::make_unique<ProgressLine>(std::string(workload.name()));
  device_options.progress = [&line](const runtime::Progress& progress) { return line->update(progress); };
  runtime::Device device(device_options);
  try {
    const workloads::Outcome outcome = workload.run(device, request);
    line.reset();
    print_summary(device, elapsed(), options.kernels);
    write_statistics(device, options.machine);
    fmt::print("  {}: {}\n", outcome.passed ? "PASSED" : "FAILED", outcome.detail);
    return outcome.passed ? kSuccess : kFailure;
  } catch (const runtime::Interrupted& stop) {
    line.reset();
    print_summary(device, elapsed(), options.kernels);
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
  command->add_option("--size", options->size, "tiny, small, medium, or a number of the workload's own unit")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of the input generator")->capture_default_str();
  add_machine_options(*command, options->machine);
  command->add_flag("--kernels", options->kernels, "Print a line per kernel launch");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace heddle::cli
