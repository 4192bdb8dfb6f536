// Plug point: what a warp runs next when its lanes do not all go the same way.
//
// Computing and control are apart. Interpreter::execute computes an instruction for some lanes and returns an Outcome:
// what happened. The divergence of the block is told outcomes that are not plainly "the next instruction", and says
// through the slot's `path` what the slot runs next: at which instruction, for which lanes. A slot is what is scheduled
// and timed; there is one for each warp of the block, and slot w is an exec::Warp.
//
// Usually the lanes of a slot are those of its own warp. An implementation that puts lanes of several warps into a slot
// (thread block compaction) fills Warp::parts: disjoint lanes with the warps that they are from. Registers stay in
// their home warps, each part is executed on its own, and all of them are one issue with one outcome.
//
// To keep convergent code fast, nothing is asked while there is nothing to decide: an implementation is called when a
// branch splits a path, on calls, returns and exits, when a path comes to the instruction where it waits for others
// (`path.until`), and, if Warp::diverged is set, on branches backwards and before instructions for which lanes of a
// warp meet. With Warp::asks_always it is asked about every branch.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/types.h"

namespace heddle::exec {

class DivergenceUnit;
class ThreadBlock;
class Warp;

/// Where each lane goes.
using LaneTargets = std::array<std::uint32_t, kWarpSize>;

/// What the lanes of a slot did.
struct Outcome {
  enum class Kind : std::uint8_t {
    next,    ///< they go to the next instruction
    branch,  ///< `lanes` go to `target` or to `targets`, the others to the next instruction; they meet at `meets_at`
    call,    ///< `lanes` call `target` or `targets`
    return_,
    exit,
    barrier,  ///< they have come to a barrier of the block
  };
  Kind kind = Kind::next;
  LaneMask lanes = 0;
  std::uint32_t target = 0;
  std::uint32_t meets_at = 0;
  const LaneTargets* targets = nullptr;  ///< where lanes go to different places
};

/// How the warps of one block diverge. One object per block, used for block after block.
class Divergence {
 public:
  virtual ~Divergence() = default;
  /// The block runs at this unit from now on, which is of the kind that made it: it was moved from another SM.
  virtual void move_to(DivergenceUnit& unit) { (void)unit; }
  /// A warp of the block has this context of the SM from now on, where another's was before.
  virtual void got_context(unsigned context) { (void)context; }
  /// A block starts: each of its slots stands at the kernel's entry with all lanes of its warp.
  virtual void start(ThreadBlock& block) = 0;
  /// The slot's lanes did something else than to go on to the next instruction (barriers are the block's business).
  virtual void apply(Warp& slot, const Outcome& outcome) = 0;
  /// The slot has come to the instruction `path.until`.
  virtual void arrived(Warp& slot) = 0;
  /// The slot is diverged and about to execute an instruction for which `named` lanes of the warp meet, and not all of
  /// them are in the slot. Returns true if it does not execute now: the slot then runs something else, or comes to the
  /// same instruction with more lanes.
  [[nodiscard]] virtual bool waits_for(Warp& slot, LaneMask named) = 0;
};

/// What an SM has for the divergence of its blocks, with parameters and statistics: the object that is plugged in.
/// There is one per SM, and one for a launch that no SM runs. One that is a core::MemoryObserver as well is told of the
/// L1 and the TLB of its SM.
class DivergenceUnit {
 public:
  virtual ~DivergenceUnit() = default;
  /// For a block that runs here.
  [[nodiscard]] virtual std::unique_ptr<Divergence> make() = 0;
  /// What it refers to lives as long as it does.
  void keep(std::shared_ptr<const void> parameters) { kept_ = std::move(parameters); }

 private:
  std::shared_ptr<const void> kept_;
};

}  // namespace heddle::exec
