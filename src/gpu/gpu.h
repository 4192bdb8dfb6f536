// A whole GPU: SMs, network, memory partitions, and the dispatcher that gives blocks to SMs.
//
// Kernels are submitted to streams; those of one stream run one after the other, those of different streams side by
// side. Blocks go to SMs breadth first: one to each SM that has room, round and round, older kernels first. Dispatch
// happens between quanta.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/kernel.h"
#include "core/sm.h"
#include "gpu/parameters.h"
#include "memory/partition.h"
#include "sim/engine.h"

namespace heddle::gpu {

struct GpuStatistics : sim::StatisticGroup {
  GpuStatistics() : StatisticGroup("gpu") {}
  sim::Counter cycles{*this, "cycles", "core cycles", "Simulated time, while at least one kernel was running."};
  sim::Counter kernels{*this, "kernels", "kernels", "Kernels run to their end."};
};

class Gpu {
 public:
  Gpu(const GpuParameters& parameters, exec::GlobalMemory& memory, unsigned threads);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  /// Queues a kernel. It must stay where it is until run() has returned.
  void submit(core::KernelInstance& kernel, unsigned stream);
  /// Simulates until every submitted kernel has ended. Throws exec::ProgramFault, and exec::Stopped when `go_on`
  /// returns false (asked every few thousand cycles).
  void run(const std::function<bool(sim::Cycle)>& go_on);

  [[nodiscard]] sim::Cycle now() const { return now_; }
  [[nodiscard]] GpuStatistics& statistics() { return statistics_; }
  [[nodiscard]] const GpuParameters& parameters() const { return parameters_; }
  /// Instructions issued so far, for a progress display.
  [[nodiscard]] std::uint64_t instructions() const;

 private:
  void dispatch(sim::Cycle now);
  [[nodiscard]] bool finished() const;
  [[nodiscard]] std::string explain_stall() const;
  /// Kernels that may run now: the first of each stream, in order of submission.
  [[nodiscard]] std::vector<core::KernelInstance*> runnable() const;

  const GpuParameters& parameters_;
  unsigned threads_;
  GpuStatistics statistics_;
  memory::AddressMap map_;
  memory::Network network_;
  std::vector<std::unique_ptr<core::Sm>> sms_;
  std::vector<std::unique_ptr<memory::Partition>> partitions_;
  struct Submitted {
    core::KernelInstance* kernel;
    unsigned stream;
  };
  std::deque<Submitted> submitted_;
  std::size_t next_sm_ = 0;
  sim::Cycle now_ = 0;
};

}  // namespace heddle::gpu
