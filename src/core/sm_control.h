// What may govern an SM that applications share: told of what their warps do, says which of them may issue.
//
// A sharing policy (gpu/sharing_policy.h) gives each SM one, or none. It belongs to the SM's shard: it is called by the
// thread that simulates the SM, and may look at nothing of other shards. What it wants done with whole blocks it says
// to its policy between quanta.
#pragma once

#include <cstdint>
#include <span>

#include "core/warp_scheduler.h"
#include "sim/time.h"

namespace heddle::core {

struct KernelInstance;

/// What an SM is like in a cycle.
struct SmMoment {
  WarpSet ready = 0;     ///< the next instruction has its operands, whether it issues or not
  WarpSet waiting = 0;   ///< at barriers and fences, of blocks that leave or come, and warps that have ended
  bool stalled = false;  ///< the load/store unit waits
  /// By application, lines on their way between load/store unit and memory; empty with one application.
  std::span<const std::uint32_t> outstanding;
};

/// Which warps may not issue, and which no access to global or local memory.
struct IssueLimits {
  WarpSet barred = 0;
  WarpSet no_memory = 0;
};

class SmControl {
 public:
  virtual ~SmControl() = default;
  /// A block has got contexts, or has left them. `restored`: it was taken out before.
  virtual void block_started(const KernelInstance& kernel, WarpSet warps, bool restored) = 0;
  virtual void block_left(const KernelInstance& kernel, WarpSet warps) = 0;
  struct Issued {
    unsigned warp = 0;
    std::uint16_t application = 0;
    std::uint32_t pc = 0;  ///< number of the instruction in its module
    unsigned lanes = 0;
  };
  virtual void issued(const Issued& instruction) = 0;
  /// A global or local memory instruction touches so many lines.
  virtual void accessed(std::uint16_t application, unsigned lines) = 0;
  /// Asked in every cycle in which the SM does something, before it issues.
  [[nodiscard]] virtual IssueLimits limits(const SmMoment& moment) = 0;
  /// So many cycles have passed in which the SM was as limits() was told last.
  virtual void passed(sim::Cycle cycles) = 0;
  /// When tick() has something to do.
  [[nodiscard]] sim::Cycle wakes_at() const { return wakes_at_; }
  virtual void tick(sim::Cycle now) = 0;

 protected:
  sim::Cycle wakes_at_ = sim::kNever;
};

}  // namespace heddle::core
