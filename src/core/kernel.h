// A kernel launch that is being timed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/timed_code.h"
#include "exec/launch.h"
#include "isa/regions.h"
#include "sim/time.h"

namespace heddle::exec {
struct MemoryAccess;
}

namespace heddle::core {

/// Sees every global memory instruction when it issues: which SM, what it touched, which lanes touched global memory.
using AccessObserver = std::function<void(std::uint32_t sm, const exec::MemoryAccess& access, LaneMask global)>;

/// What a kernel did: counted per kernel even while others run beside it. The names are those of the SM's counters.
struct KernelShare {
  std::uint64_t instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t memory_instructions = 0;
  std::uint64_t line_requests = 0;
  std::uint64_t loads = 0;
  std::uint64_t load_latency = 0;

  void add(const KernelShare& other) {
    instructions += other.instructions;
    thread_instructions += other.thread_instructions;
    memory_instructions += other.memory_instructions;
    line_requests += other.line_requests;
    loads += other.loads;
    load_latency += other.load_latency;
  }
};

struct KernelInstance {
  std::string name;
  exec::Launch* launch = nullptr;
  const TimedCode* timed = nullptr;
  const isa::RegionCode* regions = nullptr;  ///< for operand storage that follows them
  std::uint64_t code_id = 0;                 ///< distinguishes modules in the instruction cache
  std::uint16_t application = 0;
  const AccessObserver* observer = nullptr;  ///< called by the thread that simulates the SM
  std::uint64_t blocks = 0;                  ///< those from here on are not given to SMs
  std::uint64_t next_block = 0;  ///< those before were given to SMs, or had run when the kernel was submitted
  std::uint64_t blocks_done = 0;
  sim::Cycle exited_at = 0;  ///< the last warp that has ended so far
  bool started = false;
  sim::Cycle first_block_at = 0;  ///< no block starts before
  sim::Cycle started_at = 0;
  sim::Cycle ended_at = 0;
  KernelShare share;     ///< filled in when the kernel has ended
  bool retired = false;  ///< ended, and no SM knows it any more

  [[nodiscard]] bool dispatched() const { return next_block == blocks; }
  [[nodiscard]] bool done() const { return blocks_done == blocks; }
  /// Gives no more blocks to SMs. The blocks of a cooperative launch may wait for each other: once it runs, it stays
  /// whole.
  void cut() {
    if (!started || launch->config.workspace == 0) blocks = next_block;
  }
};

}  // namespace heddle::core
