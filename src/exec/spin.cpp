#include "exec/spin.h"

#include <algorithm>
#include <bit>

#include "exec/launch.h"

namespace heddle::exec {
namespace {

constexpr std::uint64_t kMultiplier = 0x9e37'79b9'7f4a'7c15;
constexpr std::uint32_t kRowMultiplier = 0x9e37'79b1;

void mix(std::uint64_t& hash, std::uint64_t value) { hash = std::rotl((hash ^ value) * kMultiplier, 29); }

/// Everything that the lanes of a slot know: what they do next follows from it and from memory.
std::uint64_t state_of(const Warp& slot) {
  std::uint64_t hash = slot.path.mask;
  const auto add = [&](const Warp& home, LaneMask lanes) {
    for (const LaneMask predicate : home.predicates) mix(hash, predicate & lanes);
    // A hash for each lane, all of them at once; those that are not here are left out at the end.
    const unsigned registers = home.block->launch.config.registers;
    alignas(64) std::uint32_t by_lane[kWarpSize] = {};
    for (unsigned r = 0; r < registers; ++r) {
      const std::uint32_t* row = home.registers + std::size_t{r} * kWarpSize;
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        const std::uint32_t mixed = (by_lane[lane] ^ row[lane]) * kRowMultiplier;
        by_lane[lane] = mixed ^ mixed >> 15;
      }
    }
    for (LaneMask left = lanes; left != 0; left &= left - 1) mix(hash, by_lane[std::countr_zero(left)]);
  };
  if (slot.parts.empty()) {
    add(slot, slot.path.mask);
  } else {
    for (const SlotPart& part : slot.parts) add(*part.warp, part.lanes);
  }
  return hash;
}

}  // namespace

void SpinWatch::goes_back(const Warp& slot, bool timed) {
  ++rounds_;
  timed_rounds_ = timed ? timed_rounds_ + 1 : 0;
  if (comparisons_ != 0 && slot.path.pc == pc_) {
    --comparisons_;
    if (state_of(slot) == state_) {
      if (repeats_++ == 0) spins_since_ = rounds_;
      comparisons_ = 0;
    } else if (comparisons_ == 0) {
      repeats_ = 0;
    }
  }
  if (rounds_ < next_look_) return;
  if (comparisons_ != 0) repeats_ = 0;  // it has not come to that branch again
  next_look_ = rounds_ + std::min(rounds_, kLongestPause);
  pc_ = slot.path.pc;
  state_ = state_of(slot);
  comparisons_ = kComparisons;
}

}  // namespace heddle::exec
