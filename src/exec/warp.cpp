#include "exec/warp.h"

#include <algorithm>

#include "base/check.h"

namespace heddle::exec {

void Warp::start(std::uint32_t pc, LaneMask lanes) {
  path = {pc, isa::kNoPc, lanes};
  diverged = false;
  asks_always = false;
  granted = false;
  waits_by_time = false;
  state = WarpState::ready;
  alive = lanes;
  predicates.fill(0);
  instructions = 0;
  waiting_op = nullptr;
  parts.clear();
  formed_after = 0;
}

Warp& home_in(const std::vector<SlotPart>& parts, unsigned lane) {
  const auto found =
      std::find_if(parts.begin(), parts.end(), [&](const SlotPart& part) { return (part.lanes >> lane & 1) != 0; });
  HEDDLE_CHECK(found != parts.end(), "a lane that is of none of the slot's warps");
  return *found->warp;
}

Warp& Warp::home(unsigned lane) { return parts.empty() ? *this : home_in(parts, lane); }

}  // namespace heddle::exec
