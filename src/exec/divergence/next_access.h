// Which page a thread touches next, found by executing ahead of it without effects: for an oracle, not for hardware.
//
// From where the thread goes on, a copy of its registers runs up to the first access to global memory, whose address
// counts. On the way are arithmetic, parameters, constants, shared memory as it is now, and branches as they fall. A
// thread that comes to a barrier, a call or its end before has no page, nor one that goes on for too long.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "exec/interpreter.h"

namespace heddle::exec {

inline constexpr std::uint64_t kNoPage = ~std::uint64_t{0};
using LanePages = std::array<std::uint64_t, kWarpSize>;

class NextAccess {
 public:
  /// A page has 2^`page_bits` bytes.
  NextAccess(ThreadBlock& block, unsigned page_bits)
      : block_(block), page_bits_(page_bits), interpreter_(block.launch) {}

  /// Of lanes of a warp that go on at `pc`.
  [[nodiscard]] LanePages of(const Warp& warp, LaneMask lanes, std::uint32_t pc);

 private:
  struct Way {
    std::uint32_t pc = 0;
    LaneMask lanes = 0;
  };
  /// One instruction of the way; those of its lanes that go on are left. False: the way ends.
  [[nodiscard]] bool step(Warp& ahead, Way& way, LanePages& pages);
  /// False: the way ends here.
  [[nodiscard]] bool branch(const Warp& ahead, Way& way);
  /// Notes what the lanes touch in global memory; those are through.
  void note(Warp& ahead, Way& way, LanePages& pages);
  [[nodiscard]] bool has_no_effect(const Op& op) const;

  ThreadBlock& block_;
  unsigned page_bits_;
  Interpreter interpreter_;
  std::vector<std::uint32_t> registers_;
  std::vector<Way> ways_;
};

}  // namespace heddle::exec
