// Plug point: which ready warp issues next.
//
// There is one instance per SM; it stands behind all schedulers of the SM, which ask it in turn. Warps are bits of a
// mask: bit w is warp context w of the SM, and belongs to scheduler w mod the number of schedulers. pick() is called
// with the warps of one scheduler that could issue in this cycle and must return one of them, or kNoWarp to leave the
// slot empty. Everything else is information that arrives as it happens. Implementations must be deterministic and must
// not look at host time.
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

class MemoryObserver;

/// What a scheduler may choose from.
struct IssueChoice {
  WarpSet ready = 0;          ///< of the scheduler that asks
  WarpSet about_to_load = 0;  ///< of those, warps whose next instruction loads from global or local memory
  sim::Cycle now = 0;
  unsigned scheduler = 0;
  WarpSet barred = 0;  ///< warps that others hold back for a while: operand storage, or what shares the SM
};
inline constexpr unsigned kMostSchedulers = 4;

/// The SM that a policy is for.
struct SchedulerSetup {
  unsigned schedulers = 1;
  unsigned warps = 64;        ///< contexts
  unsigned line_bytes = 128;  ///< of the L1
  unsigned l1_lines = 256;
  unsigned tlb_entries = 0;  ///< of its TLB; 0: there is none
};
/// Of an address, as far as storage that is counted in bits holds it.
inline constexpr unsigned kAddressBits = 48;

class WarpScheduler {
 public:
  virtual ~WarpScheduler() = default;
  /// A block's warp got a context. `age` grows with every warp started on this SM.
  virtual void started(int warp, std::uint64_t age) = 0;
  /// Which block it is of: the number grows with every block started on this SM. Comes after started().
  virtual void in_block(int warp, std::uint64_t block) {
    (void)warp;
    (void)block;
  }
  virtual void finished(int warp) = 0;
  [[nodiscard]] virtual int pick(const IssueChoice& choice) = 0;
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
  /// Who wants to be told what happens in the SM's L1 and TLB, if this does.
  [[nodiscard]] virtual MemoryObserver* observer() { return nullptr; }
};

using SchedulerRegistry = sim::Registry<WarpScheduler, const SchedulerSetup&>;

}  // namespace heddle::core
