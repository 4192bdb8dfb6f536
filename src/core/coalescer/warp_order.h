// Accesses of each warp that the L1 has not taken yet, and what may issue beside them: loads beside loads, and nothing
// else (Kloosterman 2018, section 3.3.8). So loads of a warp may overtake each other, and nothing else is reordered.
//
// With thread block compaction the threads of a warp go from slot to slot, and take with them what they wait for: an
// instruction counts for every warp that has lanes in it, and a slot waits for all warps that have lanes in the slot.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "core/warp_scheduler.h"

namespace heddle::core {

class WarpOrder {
 public:
  WarpOrder() {
    for (unsigned w = 0; w < warps_.size(); ++w) warps_[w] = WarpSet{1} << w;
  }

  /// Lanes of these warps run in the slot from now on.
  void slot_has(unsigned slot, WarpSet warps) {
    warps_[slot] = warps;
    const WarpSet own = WarpSet{1} << slot;
    mixed_ = warps != own ? mixed_ | own : mixed_ & ~own;
  }
  /// Warps with lanes in the slot.
  [[nodiscard]] WarpSet warps(unsigned slot) const { return warps_[slot]; }

  /// An instruction of these warps has issued; how many lines it touches is not known yet.
  void issued(WarpSet warps, bool loads) {
    add(warps, 1);
    last_loads_ = loads ? last_loads_ | warps : last_loads_ & ~warps;
  }
  /// Its lines are known.
  void expanded(WarpSet warps, std::size_t lines) { add(warps, static_cast<std::int64_t>(lines) - 1); }
  /// The L1 has taken a line of it.
  void taken(WarpSet warps) { add(warps, -1); }

  [[nodiscard]] bool empty() const { return waiting_ == 0; }
  /// Whether some warp waits for something else than loads.
  [[nodiscard]] bool has_others() const { return (waiting_ & ~last_loads_) != 0; }
  /// Of these slots, those that must wait.
  [[nodiscard]] WarpSet refuses(WarpSet loads, WarpSet others) const {
    const WarpSet no_load = waiting_ & ~last_loads_;
    WarpSet refused = ((loads & no_load) | (others & waiting_)) & ~mixed_;
    for (WarpSet left = (loads | others) & mixed_; left != 0; left &= left - 1) {
      const WarpSet slot = left & ~(left - 1);
      const WarpSet stops = (others & slot) != 0 ? waiting_ : no_load;
      if ((warps_[static_cast<unsigned>(std::countr_zero(slot))] & stops) != 0) refused |= slot;
    }
    return refused;
  }

 private:
  void add(WarpSet warps, std::int64_t lines) {
    for (WarpSet left = warps; left != 0; left &= left - 1) {
      std::int64_t& of_warp = lines_[static_cast<unsigned>(std::countr_zero(left))];
      const WarpSet bit = left & ~(left - 1);
      of_warp += lines;
      waiting_ = of_warp != 0 ? waiting_ | bit : waiting_ & ~bit;
    }
  }

  std::array<std::int64_t, 64> lines_{};
  std::array<WarpSet, 64> warps_{};  ///< by slot, warps with lanes in it
  WarpSet mixed_ = 0;                ///< slots with lanes of other warps than their own
  WarpSet waiting_ = 0;              ///< warps with lines
  WarpSet last_loads_ = 0;           ///< warps whose last access was a load
};

}  // namespace heddle::core
