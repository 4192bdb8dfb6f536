// heddle run: one workload, start to checked result.
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <memory>

#include "cli/commands.h"
#include "cli/progress.h"
#include "workloads/workload.h"

namespace heddle::cli {
namespace {

struct RunOptions {
  std::string workload;
  std::string size = "small";
  std::uint64_t seed = 1;
  bool functional = false;
  bool kernels = false;
};

const workloads::Workload& find_workload(const std::string& name) {
  if (const workloads::Workload* found = workloads::find(name)) return *found;
  std::string known;
  for (const workloads::Workload* w : workloads::all()) known += fmt::format("{}{}", known.empty() ? "" : ", ", w->name());
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
    throw UserError(fmt::format("--size {}: must be one of {} or a number of {} from {} to {}", text, known, workload.size_unit(), least, most));
  }
  return value;
}

std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

void print_summary(const runtime::Device& device, double seconds, bool kernels) {
  std::uint64_t warp = 0;
  std::uint64_t thread = 0;
  double simulated = 0;
  for (const runtime::LaunchStatistics& launch : device.launches()) {
    warp += launch.warp_instructions;
    thread += launch.thread_instructions;
    simulated += launch.host_seconds;
    if (kernels) {
      fmt::print("  {:<28} grid {:>6} x {} x {}, block {:>4}: {:>14} warp instructions\n", launch.kernel, launch.grid.x,
                 launch.grid.y, launch.grid.z, launch.block.count(), grouped(launch.warp_instructions));
    }
  }
  fmt::print("  kernel launches       {:>16}\n", grouped(device.launches().size()));
  fmt::print("  warp instructions     {:>16}\n", grouped(warp));
  fmt::print("  thread instructions   {:>16}   {:.1f} of 32 lanes active\n", grouped(thread),
             warp == 0 ? 0.0 : static_cast<double>(thread) / static_cast<double>(warp));
  fmt::print("  host time             {:>14.3f} s   {:.3f} s in kernels\n", seconds, simulated);
  if (simulated > 0) fmt::print("  rate                  {:>14.2f} M   warp instructions per second\n", static_cast<double>(warp) * 1e-6 / simulated);
}

int run(const RunOptions& options) {
  const workloads::Workload& workload = find_workload(options.workload);
  workloads::Request request;
  request.elements = resolve_size(workload, options.size);
  request.seed = options.seed;

  fmt::print("{}: {} {}, seed {}, functional\n", workload.name(), grouped(request.elements), workload.size_unit(), request.seed);
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  auto line = std::make_unique<ProgressLine>(std::string(workload.name()));
  runtime::Device::Options device_options;
  device_options.progress = [&line](const runtime::Progress& progress) { return line->update(progress); };
  runtime::Device device(device_options);
  try {
    const workloads::Outcome outcome = workload.run(device, request);
    line.reset();
    print_summary(device, elapsed(), options.kernels);
    fmt::print("  {}: {}\n", outcome.passed ? "PASSED" : "FAILED", outcome.detail);
    return outcome.passed ? kSuccess : kFailure;
  } catch (const runtime::Interrupted& stop) {
    line.reset();
    print_summary(device, elapsed(), options.kernels);
    fmt::print("  INTERRUPTED: {}; the figures above are those of the launches that ended\n", stop.what());
    return kInterrupted;
  }
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Run a bundled workload and check its result");
  command->add_option("workload", options->workload, "Name of the workload (see: heddle list)")->required();
  command->add_option("--size", options->size, "tiny, small, medium, or a number of the workload's own unit")->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of the input generator")->capture_default_str();
  command->add_flag("--functional", options->functional, "Execute without timing");
  command->add_flag("--kernels", options->kernels, "Print a line per kernel launch");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace heddle::cli
