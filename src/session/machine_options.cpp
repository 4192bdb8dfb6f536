#include "session/machine_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/files.h"
#include "gpu/gpu.h"
#include "runtime/machine.h"
#include "session/checks.h"
#include "session/host_threads.h"
#include "session/machine.h"
#include "sim/configuration.h"

namespace heddle::session {

void add_gpu_options(CLI::App& command, MachineOptions& options) {
  command.add_option("--gpu", options.gpu, "GPU to time on: a preset (see: heddle gpus) or a .toml file")
      ->capture_default_str();
  command.add_option("--design", options.design,
                     "Memory-management design to put into the GPU: a preset (see: heddle designs) or a .toml file");
  command
      .add_option("--set", options.changes,
                  "Change a parameter, e.g. sm.schedulers=1 (see: heddle params); may be repeated")
      ->allow_extra_args(false);
}

void add_machine_options(CLI::App& command, MachineOptions& options) {
  add_gpu_options(command, options);
  options.threads = 0;
  command
      .add_option("--threads", options.threads,
                  "Host threads; the result does not depend on it. Default: HEDDLE_THREADS, else as many as help")
      ->check(CLI::Range(1, 256));
  command.add_option("--stats", options.statistics, "Write every statistic to this file, as JSON");
  command.add_flag("--functional", options.functional, "Execute without timing");
  command.add_option("--limit-instructions", options.limits.warp_instructions,
                     "Stop after so many warp instructions, counted every few thousand cycles; what was done until "
                     "then is kept");
  command.add_option("--limit-seconds", options.limits.host_seconds, "Stop after so much time on the host, likewise")
      ->check(CLI::NonNegativeNumber);
}

std::shared_ptr<const gpu::GpuParameters> load_machine(const MachineOptions& options) {
  if (!options.functional) return load_gpu(options.gpu, options.design, options.changes);
  if (!options.changes.empty() || !options.statistics.empty() || !options.design.empty())
    throw UserError("--design, --set and --stats need a timed run; leave out --functional");
  return nullptr;
}

runtime::Device::Options device_options(const MachineOptions& options) {
  runtime::Device::Options device;
  device.gpu = load_machine(options);
  device.threads = host_threads(options, device.gpu.get());
  device.limits = options.limits;
  device.profile = options.profile;
  device.checks = parse_checks(options.check);
  return device;
}

std::string machine_name(const MachineOptions& options) {
  if (options.functional) return "functional";
  const std::string name = fmt::format("timed on {}", options.gpu);
  return options.design.empty() ? name : fmt::format("{} with {}", name, options.design);
}

namespace {

nlohmann::ordered_json as_json(const results::ApplicationRecord& application, const results::RunOutcome& outcome) {
  std::uint64_t launches = 0;
  std::uint64_t warp = 0;
  std::uint64_t thread = 0;
  for (const results::KernelRecord& kernel : outcome.kernels) {
    if (kernel.application != application.name) continue;
    ++launches;
    warp += kernel.warp_instructions;
    thread += kernel.thread_instructions;
  }
  nlohmann::ordered_json all{{"status", results::to_string(application.status)},
                             {"launches", launches},
                             {"cycles", application.cycles},
                             {"warp_instructions", warp},
                             {"thread_instructions", thread}};
  for (const auto& [path, value] : application.counters) all[path] = value;
  return all;
}

}  // namespace

void write_statistics(const runtime::Device& device, const MachineOptions& options,
                      const results::RunOutcome& outcome) {
  if (options.statistics.empty()) return;
  std::ostringstream out;
  const runtime::PhaseControl& phases = device.machine().phases();
  if (phases.phases().given()) {
    phases.write_statistics(out, *device.gpu());
  } else if (outcome.applications.empty()) {
    sim::write_json(out, device.gpu()->statistics());
  } else {
    std::stringstream whole;
    sim::write_json(whole, device.gpu()->statistics());
    auto both = nlohmann::ordered_json::parse(whole);
    for (const results::ApplicationRecord& application : outcome.applications)
      both["applications"][application.name] = as_json(application, outcome);
    out << both.dump(2) << '\n';
  }
  write_file("--stats", options.statistics, out.str());
}

}  // namespace heddle::session
