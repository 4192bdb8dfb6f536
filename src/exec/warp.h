// One warp's architectural state, and SIMT divergence with a reconvergence stack.
//
// The stack (Fung et al., MICRO 2007): when a branch diverges, the entry that executed it waits at the branch's
// reconvergence point, and each side runs as an entry of its own until it gets there. A call is an entry that ends when
// all its lanes have returned.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/types.h"
#include "isa/instruction.h"

namespace heddle::exec {

struct Op;
class ThreadBlock;

inline constexpr unsigned kPredicates = 8;

/// One path of a diverged warp.
struct Path {
  std::uint32_t pc = 0;
  std::uint32_t reconvergence = isa::kNoPc;
  LaneMask mask = 0;
  bool is_call = false;  ///< the first path of a called function
};

enum class WarpState : std::uint8_t { ready, at_barrier, done };

class Warp {
 public:
  ThreadBlock* block = nullptr;
  std::uint32_t index = 0;  ///< in its block
  WarpState state = WarpState::ready;
  LaneMask alive = 0;                  ///< lanes that have not exited
  Path path;                           ///< the running one
  std::uint32_t* registers = nullptr;  ///< row r at registers + r * kWarpSize
  std::array<LaneMask, kPredicates> predicates{};
  std::uint64_t instructions = 0;  ///< issued so far
  const Op* waiting_op = nullptr;  ///< the barrier it waits at
  LaneMask waiting_mask = 0;

  void start(std::uint32_t pc, LaneMask lanes);
  /// Lanes in `taken` go to `target`, the other active ones to the next instruction; they meet at `reconvergence`.
  void branch(LaneMask taken, std::uint32_t target, std::uint32_t reconvergence);
  /// Each active lane goes to a target of its own; returns after making one path per distinct target.
  void branch_many(const std::array<std::uint32_t, kWarpSize>& targets, LaneMask lanes, std::uint32_t reconvergence);
  void call(LaneMask lanes, std::uint32_t target);
  void call_many(const std::array<std::uint32_t, kWarpSize>& targets, LaneMask lanes);
  void return_lanes(LaneMask lanes);
  void exit_lanes(LaneMask lanes);
  /// Moves to the next instruction.
  void advance() {
    ++path.pc;
    if (path.pc == path.reconvergence) reconverge();
  }
  void jump(std::uint32_t pc) {
    path.pc = pc;
    if (path.pc == path.reconvergence) reconverge();
  }
  [[nodiscard]] std::size_t stack_depth() const { return waiting_.size(); }
  [[nodiscard]] const std::vector<Path>& waiting_paths() const { return waiting_; }

 private:
  void reconverge();
  void drop_empty();

  std::vector<Path> waiting_;  ///< paths below the running one
};

}  // namespace heddle::exec
