// Accesses of each warp that the L1 has not taken yet, and what may issue beside them: loads beside loads, and nothing
// else (Kloosterman 2018, section 3.3.8). So loads of a warp may overtake each other, and nothing else is reordered.
#pragma once

#include <array>
#include <cstdint>

#include "core/warp_scheduler.h"

namespace heddle::core {

class WarpOrder {
 public:
  /// An instruction has issued; how many lines it touches is not known yet.
  void issued(unsigned warp, bool loads) {
    add(warp, 1);
    const WarpSet bit = WarpSet{1} << warp;
    last_loads_ = loads ? last_loads_ | bit : last_loads_ & ~bit;
  }
  /// Its lines are known.
  void expanded(unsigned warp, std::size_t lines) { add(warp, static_cast<std::int64_t>(lines) - 1); }
  /// The L1 has taken a line of it.
  void taken(unsigned warp) { add(warp, -1); }

  [[nodiscard]] bool empty() const { return waiting_ == 0; }
  /// Of these warps, those that must wait.
  [[nodiscard]] WarpSet refuses(WarpSet loads, WarpSet others) const {
    return (loads & waiting_ & ~last_loads_) | (others & waiting_);
  }

 private:
  void add(unsigned warp, std::int64_t lines) {
    lines_[warp] += lines;
    const WarpSet bit = WarpSet{1} << warp;
    waiting_ = lines_[warp] != 0 ? waiting_ | bit : waiting_ & ~bit;
  }

  std::array<std::int64_t, 64> lines_{};
  WarpSet waiting_ = 0;     ///< warps with lines
  WarpSet last_loads_ = 0;  ///< warps whose last access was a load
};

}  // namespace heddle::core
