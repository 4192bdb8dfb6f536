#include "runtime/launch_operation.h"

#include <fmt/format.h>

#include "exec/fault.h"
#include "exec/interpreter.h"
#include "runtime/fault_report.h"

namespace heddle::runtime {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

}  // namespace

LaunchOperation::LaunchOperation(DeviceImplementation& device, Stream stream, const LoadedModule& module,
                                 const compile::KernelCode& code, exec::LaunchConfig config)
    : device_(device), module_(module), config_(std::move(config)) {
  statistics_.kernel = code.name;
  statistics_.stream = stream;
  statistics_.application = device.application;
  statistics_.grid = config_.grid;
  statistics_.block = config_.block;
  id_ = device_.machine->add_launch({code.name, [this](std::uint32_t pc) { return place(pc); },
                                     [this](const exec::ProgramFault& fault) { return describe(fault); },
                                     [this] { return kernel_.blocks_done; }, config_.grid.count()});
  config_.grid_id = id_;
  statistics_.id = id_;
  if (device_.checks) {
    device_.checks->launched();
    device_.checked_kernels[id_] = code.name;
  }
  config_.instruction_limit = device_.options.instruction_limit;
  config_.divergence = device_.options.divergence;
  if (const auto& gpu = device_.machine->options().gpu) {
    config_.divergence = [gpu](sim::StatisticGroup& counts) {
      return gpu->sm.divergence.make_as(gpu->divergence(), counts, "");
    };
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

std::string LaunchOperation::place(std::uint32_t pc) const { return module_.program.place(pc); }

bool LaunchOperation::advance(sim::Cycle now) {
  Machine& machine = *device_.machine;
  PhaseControl& phases = machine.phases();
  if (!launch_) {
    begin_ = std::chrono::steady_clock::now();
    statistics_.host_began = machine.host_seconds(begin_);
    launch_.emplace(config_, device_.environment);
    kernel_.blocks = config_.grid.count();
    if (machine.gpu() == nullptr || !phases.times(id_, statistics_.kernel)) {
      if (!run_functional(kAll)) return false;
    } else if (phases.skip_left() != 0) {
      (void)run_functional(phases.skip_left());
      phases.skipped(launch_->warp_instructions);
    }
    first_timed_ = kernel_.next_block;
    if (!kernel_.dispatched()) {
      phases.begin(*machine.gpu(), now);
      submit();
      return false;
    }
  } else if (grid_) {
    if (!run_functional(kAll)) return false;
  } else {
    if (!kernel_.retired) return false;
    phases.look(*machine.gpu(), now);
    collect();
    if (kernel_.next_block != config_.grid.count()) (void)run_functional(kAll);
  }
  finish();
  return true;
}

bool LaunchOperation::run_functional(std::uint64_t enough) {
  Machine& machine = *device_.machine;
  device_.environment.go_on = [&](std::uint64_t blocks_done, std::uint64_t instructions) {
    kernel_.blocks_done = blocks_done;
    return machine.go_on(id_, kernel_.share.instructions + instructions, 0);
  };
  if (!grid_) grid_.emplace(*launch_, kernel_.next_block);
  try {
    while (!grid_->run(enough)) {
      machine.waits_for_others(id_, grid_->waits_at());
      // Without timing, the host and other streams may go on meanwhile. On a timed machine, work that is not timed
      // takes no time, and nothing else can happen.
      if (machine.gpu() == nullptr) return false;
    }
    kernel_.next_block = kernel_.blocks_done = grid_->next_block();
    grid_.reset();
    return true;
  } catch (const exec::Stopped&) {
    throw Interrupted(fmt::format("stopped in kernel '{}'", statistics_.kernel));
  } catch (const exec::ProgramFault& fault) {
    throw describe(fault);
  }
}

void LaunchOperation::submit() {
  kernel_.name = statistics_.kernel;
  kernel_.launch = &*launch_;
  kernel_.timed = module_.timed.get();
  kernel_.regions = module_.regions.get();
  kernel_.code_id = module_.code_id;
  kernel_.application = device_.application;
  const Machine& machine = *device_.machine;
  if (machine.options().observe) kernel_.observer = &machine.options().observe;
  gpu::Gpu& gpu = *device_.machine->gpu();
  if (gpu.running() == 0) before_ = gpu.counters().read_totals();
  submissions_ = gpu.submissions();
  gpu.submit(kernel_);
}

void LaunchOperation::collect() {
  if (!kernel_.started) return;  // the window ended before an SM had room for it
  gpu::Gpu& gpu = *device_.machine->gpu();
  statistics_.timed_blocks = kernel_.next_block - first_timed_;
  statistics_.started_at = kernel_.started_at;
  statistics_.ended_at = kernel_.ended_at;
  statistics_.cycles = kernel_.ended_at - kernel_.started_at;
  statistics_.alone = !before_.empty() && gpu.submissions() == submissions_ + 1;
  if (statistics_.alone) {
    statistics_.counters = gpu.counters().totals_since(before_);
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
  statistics_.warp_instructions = kernel_.share.instructions + launch_->warp_instructions;
  statistics_.thread_instructions = kernel_.share.thread_instructions + launch_->thread_instructions;
  if (device_.machine->gpu() != nullptr) {
    device_.machine->add_untimed(launch_->warp_instructions);
    device_.machine->phases().add_blocks(statistics_.timed_blocks, config_.grid.count());
  }
  statistics_.host_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  ended_ = true;
  device_.machine->end_launch(id_, statistics_.warp_instructions);
  device_.launches.push_back(std::move(statistics_));
}

}  // namespace heddle::runtime
