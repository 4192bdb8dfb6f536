// Plug point: which ready warp issues next.
//
// There is one instance per scheduler of an SM. Warps are bits of a mask: bit w is warp context w of the SM, and only
// those that belong to this scheduler are ever set. pick() is called with the warps that could issue in this cycle and
// must return one of them, or kNoWarp to leave the slot empty. Everything else is information that arrives as it
// happens. Implementations must be deterministic and must not look at host time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/registry.h"
#include "sim/time.h"

namespace heddle::core {

using WarpSet = std::uint64_t;
inline constexpr int kNoWarp = -1;

class WarpScheduler {
 public:
  virtual ~WarpScheduler() = default;
  /// A block's warp got a context. `age` grows with every warp started on this SM.
  virtual void started(int warp, std::uint64_t age) = 0;
  virtual void finished(int warp) = 0;
  [[nodiscard]] virtual int pick(WarpSet ready, sim::Cycle now) = 0;
  /// The warp issued an instruction that takes long (a global or local load), or has all its data again.
  virtual void long_latency(int warp, bool begins) {
    (void)warp;
    (void)begins;
  }
  /// The warp waits at a barrier or a fence, perhaps for other warps of this scheduler; or it may go on.
  virtual void at_barrier(int warp, bool begins) {
    (void)warp;
    (void)begins;
  }
};

using SchedulerRegistry = sim::Registry<WarpScheduler>;

}  // namespace heddle::core
