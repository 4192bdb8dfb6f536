#include "session/records.h"

#include <fmt/format.h>

#include "base/kernel_name.h"
#include "session/host_threads.h"
#include "simulator_version.h"

namespace heddle::session {
namespace {

void collect(const sim::ParameterGroup& group, std::map<std::string, std::string>& into) {
  const std::string prefix = group.path().empty() ? "" : group.path() + ".";
  for (const sim::ParameterBase* parameter : group.parameters())
    into[prefix + parameter->key()] = sim::to_string(parameter->value());
  for (const sim::ParameterGroup* child : group.groups()) collect(*child, into);
}

std::uint64_t timed(const runtime::LaunchStatistics& launch, const std::string& counter) {
  return launch.counters.get(counter).value_or(0);
}

std::string dimensions(const Dim3& d) { return fmt::format("{}x{}x{}", d.x, d.y, d.z); }

}  // namespace

std::map<std::string, std::string> effective_configuration(const sim::ParameterGroup& root) {
  std::map<std::string, std::string> all;
  collect(root, all);
  return all;
}

std::string simulator_version() { return HEDDLE_VERSION "+" HEDDLE_SIMULATOR_VERSION; }

void describe_machine(const MachineOptions& machine, const runtime::Phases& phases, const gpu::GpuParameters* gpu,
                      results::RunDescription& run) {
  run.mode = machine.functional ? "functional" : "timed";
  run.gpu = machine.functional ? "" : machine.gpu;
  run.design = machine.design;
  run.changes = machine.changes;
  if (phases.given()) {
    if (machine.functional)
      throw UserError(
          "--start-kernel, --skip, --warmup, --window and --kernels REGEX need a timed run; leave out --functional");
    (void)runtime::PhaseControl(phases);  // names of kernels that are no regular expression
    run.phases = runtime::text(phases);
    run.changes.push_back(fmt::format("phases: {}", run.phases));
  }
  if (gpu != nullptr) {
    for (auto& [path, value] : effective_configuration(*gpu)) run.configuration.emplace(path, value);
  }
  run.version = simulator_version();
  run.threads = host_threads(machine, gpu);
}

std::vector<results::KernelRecord> kernel_records(const runtime::Device& device, const std::string& application) {
  std::vector<results::KernelRecord> records;
  for (const runtime::LaunchStatistics& launch : device.launches()) {
    results::KernelRecord kernel;
    kernel.name = kernel_name(launch.kernel);
    kernel.application = application;
    kernel.stream = launch.stream;
    kernel.grid = dimensions(launch.grid);
    kernel.block = dimensions(launch.block);
    kernel.cycles = launch.cycles;
    // Of a timed run, the instructions that the cycles were spent on: a launch can be timed in part or not at all.
    const bool whole = device.gpu() == nullptr || launch.timed_blocks == launch.grid.count();
    kernel.warp_instructions = whole ? launch.warp_instructions : timed(launch, "gpu.sm.instructions");
    kernel.thread_instructions = whole ? launch.thread_instructions : timed(launch, "gpu.sm.thread_instructions");
    kernel.host_seconds = launch.host_seconds;
    kernel.counters = launch.counters;
    records.push_back(std::move(kernel));
  }
  return records;
}

}  // namespace heddle::session
