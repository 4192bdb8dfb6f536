// Lanes that go to different places, by place.
#pragma once

#include <bit>

#include "exec/divergence.h"

namespace heddle::exec {

/// Calls f(target, lanes) once for each place that lanes go to, in the order of the lowest lane.
template <typename Function>
void for_each_target(const Outcome& outcome, Function&& f) {
  if (outcome.targets == nullptr) return f(outcome.target, outcome.lanes);
  for (LaneMask left = outcome.lanes; left != 0;) {
    const std::uint32_t target = (*outcome.targets)[static_cast<unsigned>(std::countr_zero(left))];
    LaneMask same = 0;
    for (LaneMask rest = left; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      if ((*outcome.targets)[lane] == target) same |= LaneMask{1} << lane;
    }
    f(target, same);
    left &= ~same;
  }
}

}  // namespace heddle::exec
