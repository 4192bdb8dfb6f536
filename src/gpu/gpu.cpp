#include "gpu/gpu.h"

#include <algorithm>
#include <set>

#include "base/check.h"
#include "exec/fault.h"

namespace heddle::gpu {

using sim::Cycle;

Gpu::Gpu(const GpuParameters& parameters, exec::GlobalMemory& memory, unsigned threads)
    : parameters_(parameters),
      threads_(threads),
      map_(parameters.memory),
      network_(parameters.network, parameters.sms, parameters.memory.partitions) {
  parameters.check();
  for (unsigned s = 0; s < parameters.sms; ++s) {
    sms_.push_back(std::make_unique<core::Sm>(
        core::Sm::Setup{parameters.sm, map_, network_, statistics_, memory, static_cast<std::uint16_t>(s)}));
  }
  for (unsigned p = 0; p < parameters.memory.partitions; ++p) {
    memory::Partition::Setup setup{parameters.l2,
                                   parameters.dram,
                                   map_,
                                   network_,
                                   statistics_,
                                   static_cast<double>(parameters.core_mhz),
                                   static_cast<std::uint16_t>(p),
                                   {}};
    setup.perform_atomic = [&memory](memory::AtomicPacket& packet, LaneMask lanes) {
      memory::perform_atomic(packet, lanes, memory);
    };
    partitions_.push_back(std::make_unique<memory::Partition>(setup));
  }
}

Gpu::~Gpu() = default;

void Gpu::submit(core::KernelInstance& kernel, unsigned stream) { submitted_.push_back({&kernel, stream}); }

std::vector<core::KernelInstance*> Gpu::runnable() const {
  std::vector<core::KernelInstance*> kernels;
  std::set<unsigned> busy;
  for (const Submitted& s : submitted_) {
    if (busy.insert(s.stream).second) kernels.push_back(s.kernel);
  }
  return kernels;
}

void Gpu::dispatch(Cycle now) {
  // What has ended makes way for the next of its stream.
  std::erase_if(submitted_, [&](const Submitted& s) {
    if (!s.kernel->done()) return false;
    for (auto& sm : sms_) sm->forget(*s.kernel->launch);
    ++statistics_.kernels;
    return true;
  });
  for (core::KernelInstance* kernel : runnable()) {
    if (kernel->next_block == 0) {
      kernel->started_at = now;
      for (auto& sm : sms_) sm->start_kernel();
    }
    std::size_t refused = 0;
    while (!kernel->dispatched() && refused < sms_.size()) {
      core::Sm& sm = *sms_[next_sm_];
      next_sm_ = (next_sm_ + 1) % sms_.size();
      if (sm.can_take(*kernel)) {
        sm.start_block(*kernel, kernel->next_block++, now);
        refused = 0;
      } else {
        ++refused;
      }
    }
  }
}

std::uint64_t Gpu::instructions() const {
  std::uint64_t sum = 0;
  for (const auto& sm : sms_) sum += sm->statistics().instructions.value();
  return sum;
}

bool Gpu::finished() const { return submitted_.empty(); }

std::string Gpu::explain_stall() const {
  std::string text;
  for (const auto& sm : sms_) {
    if (!sm->idle()) text += sm->describe();
  }
  for (const auto& partition : partitions_) {
    if (!partition->idle()) text += partition->describe();
  }
  return text;
}

void Gpu::run(const std::function<bool(Cycle)>& go_on) {
  std::vector<sim::Shard*> front;
  std::vector<sim::Shard*> back;
  for (auto& sm : sms_) front.push_back(sm.get());
  for (auto& partition : partitions_) back.push_back(partition.get());
  // Nothing may reach another shard within a quantum.
  const Cycle quantum = std::max(1u, parameters_.network.latency.get());
  sim::Engine engine(front, back, quantum, threads_);
  const Cycle began = now_;
  Cycle asked = now_;
  sim::Engine::Hooks hooks;
  hooks.serial = [&](Cycle end) {
    for (auto& sm : sms_) sm->serial_step(end);
    dispatch(end);
  };
  hooks.finished = [&](Cycle now) {
    constexpr Cycle kAskEvery = 2000;
    if (now - asked >= kAskEvery) {
      asked = now;
      if (go_on && !go_on(now)) throw exec::Stopped();
    }
    return finished();
  };
  hooks.explain_stall = [this] { return explain_stall(); };
  dispatch(now_);
  if (finished()) return;
  now_ = engine.run(now_, hooks);
  statistics_.cycles += now_ - began;
}

}  // namespace heddle::gpu
