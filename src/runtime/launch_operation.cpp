#include "runtime/launch_operation.h"

#include <fmt/format.h>

#include "exec/fault.h"
#include "exec/interpreter.h"
#include "runtime/fault_report.h"

namespace heddle::runtime {

LaunchOperation::LaunchOperation(DeviceImplementation& device, Stream stream, const LoadedModule& module,
                                 const compile::KernelCode& code, exec::LaunchConfig config)
    : device_(device), module_(module), config_(std::move(config)) {
  statistics_.kernel = code.name;
  statistics_.stream = stream;
  statistics_.application = device.application;
  statistics_.grid = config_.grid;
  statistics_.block = config_.block;
  id_ = device_.machine->add_launch({code.name, [this](const exec::ProgramFault& fault) { return describe(fault); },
                                     [this] { return kernel_.blocks_done; }, config_.grid.count()});
  config_.grid_id = id_;
  statistics_.id = id_;
  config_.instruction_limit = device_.options.instruction_limit;
  if (const auto& gpu = device_.machine->options().gpu) {
    config_.sms = gpu->sms;
    config_.clock_mhz = gpu->core_mhz;
  }
}

LaunchOperation::~LaunchOperation() {
  if (!ended_) device_.machine->end_launch(id_, 0);
}

LaunchError LaunchOperation::describe(const exec::ProgramFault& fault) const {
  const CudaError error = cuda_error(fault.kind);
  return {error.code, error.name, describe_fault(fault, module_.program, statistics_.kernel, device_.memory)};
}

bool LaunchOperation::advance(sim::Cycle now) {
  Machine& machine = *device_.machine;
  if (machine.gpu() == nullptr || (!launch_ && !machine.phases().times(id_))) {
    run_functional();
    if (machine.gpu() != nullptr) machine.add_untimed(launch_->warp_instructions);
    return true;
  }
  if (!launch_) {
    machine.phases().begin(*machine.gpu(), now);
    submit();
    return false;
  }
  if (!kernel_.retired) return false;
  machine.phases().look(*machine.gpu(), now);
  collect();
  finish();
  return true;
}

void LaunchOperation::run_functional() {
  begin_ = std::chrono::steady_clock::now();
  Machine& machine = *device_.machine;
  if (machine.options().progress) {
    device_.environment.go_on = [&](std::uint64_t blocks_done, std::uint64_t instructions) {
      kernel_.blocks_done = blocks_done;
      return machine.ask_progress(id_, instructions, 0);
    };
  }
  launch_.emplace(config_, device_.environment);
  try {
    exec::run_grid(*launch_);
  } catch (const exec::Stopped&) {
    throw Interrupted(fmt::format("stopped in kernel '{}'", statistics_.kernel));
  } catch (const exec::ProgramFault& fault) {
    throw describe(fault);
  }
  statistics_.warp_instructions = launch_->warp_instructions;
  statistics_.thread_instructions = launch_->thread_instructions;
  finish();
}

void LaunchOperation::submit() {
  begin_ = std::chrono::steady_clock::now();
  launch_.emplace(config_, device_.environment);
  kernel_.name = statistics_.kernel;
  kernel_.launch = &*launch_;
  kernel_.timed = module_.timed.get();
  kernel_.code_id = module_.code_id;
  kernel_.application = device_.application;
  const Machine& machine = *device_.machine;
  if (machine.options().observe) kernel_.observer = &machine.options().observe;
  kernel_.blocks = config_.grid.count();
  gpu::Gpu& gpu = *device_.machine->gpu();
  if (gpu.running() == 0) before_ = sim::totals(gpu.statistics());
  submissions_ = gpu.submissions();
  gpu.submit(kernel_);
}

void LaunchOperation::collect() {
  gpu::Gpu& gpu = *device_.machine->gpu();
  statistics_.started_at = kernel_.started_at;
  statistics_.ended_at = kernel_.ended_at;
  statistics_.cycles = kernel_.ended_at - kernel_.started_at;
  statistics_.warp_instructions = kernel_.share.instructions;
  statistics_.thread_instructions = kernel_.share.thread_instructions;
  statistics_.alone = !before_.empty() && gpu.submissions() == submissions_ + 1;
  if (statistics_.alone) {
    statistics_.counters = sim::totals_since(gpu.statistics(), before_);
    return;
  }
  statistics_.counters = {{"gpu.cycles", statistics_.cycles},
                          {"gpu.sm.instructions", kernel_.share.instructions},
                          {"gpu.sm.thread_instructions", kernel_.share.thread_instructions},
                          {"gpu.sm.memory_instructions", kernel_.share.memory_instructions},
                          {"gpu.sm.line_requests", kernel_.share.line_requests},
                          {"gpu.sm.loads", kernel_.share.loads},
                          {"gpu.sm.load_latency", kernel_.share.load_latency}};
}

void LaunchOperation::finish() {
  statistics_.host_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  ended_ = true;
  device_.machine->end_launch(id_, statistics_.warp_instructions);
  device_.launches.push_back(std::move(statistics_));
}

}  // namespace heddle::runtime
