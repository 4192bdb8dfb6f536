#include "exec/warp.h"

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
}

Warp& Warp::home(unsigned lane) {
  for (const SlotPart& part : parts) {
    if ((part.lanes >> lane & 1) != 0) return *part.warp;
  }
  return *this;
}

}  // namespace heddle::exec
