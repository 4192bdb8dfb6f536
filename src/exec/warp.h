// One warp: the registers of 32 threads, and the slot in which it is scheduled.
//
// What the slot runs (`path`, `parts`, `diverged`) is the divergence's to say (divergence.h); here is only what an
// instruction in convergent code does to it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/types.h"
#include "exec/divergence.h"
#include "isa/instruction.h"

namespace heddle::exec {

struct Op;
class ThreadBlock;
class Warp;

inline constexpr unsigned kPredicates = 8;

/// What a slot runs next.
struct Path {
  std::uint32_t pc = 0;
  std::uint32_t until = isa::kNoPc;  ///< an instruction where it waits for other lanes
  LaneMask mask = 0;                 ///< lanes of the slot
};

/// Lanes in a slot and the warp whose registers they have.
struct SlotPart {
  Warp* warp = nullptr;
  LaneMask lanes = 0;
};

/// Of parts that have the lane, the warp that it is from.
[[nodiscard]] Warp& home_in(const std::vector<SlotPart>& parts, unsigned lane);

enum class WarpState : std::uint8_t {
  ready,
  at_barrier,
  idle,  ///< has nothing to run until its divergence says what
  done,
};

class Warp {
 public:
  Path path;
  bool diverged = false;       ///< the divergence is asked about branches backwards and about meetings
  bool asks_always = false;    ///< and about every other branch
  bool granted = false;        ///< the meeting at this instruction has taken place
  bool waits_by_time = false;  ///< has read a clock or slept since its last branch backwards
  WarpState state = WarpState::ready;
  Divergence* divergence = nullptr;
  std::uint32_t* registers = nullptr;  ///< row r at registers + r * kWarpSize
  std::vector<SlotPart> parts;         ///< where the lanes are from, if not all from this warp
  std::uint32_t formed_after = 0;      ///< cycles that it took to put together what it runs
  std::uint64_t instructions = 0;      ///< issued so far
  ThreadBlock* block = nullptr;
  std::uint32_t index = 0;    ///< in its block
  std::uint32_t context = 0;  ///< of the SM that runs it
  LaneMask alive = 0;         ///< lanes that have not exited
  std::array<LaneMask, kPredicates> predicates{};
  const Op* waiting_op = nullptr;  ///< the barrier it waits at
  LaneMask waiting_mask = 0;
  std::uint32_t waiting_barrier = 0;

  void start(std::uint32_t pc, LaneMask lanes);
  /// The warp that has the registers of a lane of this slot.
  [[nodiscard]] Warp& home(unsigned lane);
  /// Calls f(home warp, lanes of it) for lanes of this slot.
  template <typename Function>
  void for_each_home(LaneMask lanes, Function&& f) {
    if (parts.empty()) return f(*this, lanes);
    for (const SlotPart& part : parts) {
      if ((part.lanes & lanes) != 0) f(*part.warp, part.lanes & lanes);
    }
  }
  /// Moves to the next instruction.
  void advance() { jump(path.pc + 1); }
  void jump(std::uint32_t pc) {
    path.pc = pc;
    if (pc == path.until) divergence->arrived(*this);
  }
};

}  // namespace heddle::exec
