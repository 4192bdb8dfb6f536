// A kernel launch that is being timed.
#pragma once

#include <cstdint>
#include <string>

#include "core/timed_code.h"
#include "exec/launch.h"
#include "sim/time.h"

namespace heddle::core {

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
  std::uint64_t code_id = 0;  ///< distinguishes modules in the instruction cache
  std::uint16_t application = 0;
  std::uint64_t blocks = 0;
  std::uint64_t next_block = 0;  ///< dispatched so far
  std::uint64_t blocks_done = 0;
  sim::Cycle started_at = 0;
  sim::Cycle ended_at = 0;
  KernelShare share;     ///< filled in when the kernel has ended
  bool retired = false;  ///< ended, and no SM knows it any more

  [[nodiscard]] bool dispatched() const { return next_block == blocks; }
  [[nodiscard]] bool done() const { return blocks_done == blocks; }
};

}  // namespace heddle::core
