// Turns: who is next of a set of warps.
#pragma once

#include <bit>

#include "core/warp_scheduler.h"

namespace heddle::core {

/// The next of `warps`, which are not none, after `last`.
[[nodiscard]] inline int next_in_turn(WarpSet warps, int last) {
  const WarpSet after = last == 63 ? 0 : warps & (~WarpSet{0} << (last + 1));
  return std::countr_zero(after != 0 ? after : warps);
}

}  // namespace heddle::core
