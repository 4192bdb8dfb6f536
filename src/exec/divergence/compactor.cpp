#include "exec/divergence/compactor.h"

#include <algorithm>
#include <bit>

namespace heddle::exec {
namespace {

void add(DynamicWarp& formed, unsigned warp, LaneMask lane) {
  for (DynamicPart& part : formed) {
    if (part.warp != warp) continue;
    part.lanes |= lane;
    return;
  }
  formed.push_back({warp, lane});
}

}  // namespace

bool CompactionGate::admits(const DynamicWarp& formed, unsigned warp, LaneMask /*lane*/) const {
  return std::all_of(formed.begin(), formed.end(),
                     [&](const DynamicPart& part) { return part.warp == warp || may_join(warp, part.warp); });
}

std::vector<DynamicWarp> compact(BlockMask pending, const CompactionGate* gate) {
  std::vector<DynamicWarp> all;
  for (;;) {
    LaneMask lanes = 0;
    for (const LaneMask of_warp : pending) lanes |= of_warp;
    if (lanes == 0) return all;
    DynamicWarp& formed = all.emplace_back();
    for (; lanes != 0; lanes &= lanes - 1) {
      const LaneMask lane = lanes & ~(lanes - 1);
      for (unsigned warp = 0; warp < pending.size(); ++warp) {
        if ((pending[warp] & lane) == 0 || (gate != nullptr && !gate->admits(formed, warp, lane))) continue;
        pending[warp] &= ~lane;
        add(formed, warp, lane);
        break;
      }
    }
  }
}

std::vector<DynamicWarp> keep_apart(const BlockMask& pending) {
  std::vector<DynamicWarp> all;
  for (unsigned warp = 0; warp < pending.size(); ++warp) {
    if (pending[warp] != 0) all.push_back({{warp, pending[warp]}});
  }
  return all;
}

}  // namespace heddle::exec
