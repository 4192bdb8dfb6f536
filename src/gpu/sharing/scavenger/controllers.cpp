#include "gpu/sharing/scavenger/controllers.h"

#include <bit>

#include "base/types.h"
#include "gpu/sharing/scavenger/histogram.h"

namespace heddle::gpu::scavenger {

BlockMove decide_blocks(const ScavengerParameters& p, const BlockSlack& slack) {
  const unsigned least = p.primary_slack;
  const unsigned most = p.secondary_slack;
  // Whole blocks of what is beyond a threshold; at least one if it covers one.
  const auto blocks = [&](unsigned excess, unsigned of_block) {
    const unsigned apart =
        slack.primary > slack.secondary ? slack.primary - slack.secondary : slack.secondary - slack.primary;
    const auto limit = static_cast<unsigned>(p.step * apart);
    const unsigned whole = std::min(excess, limit) / of_block;
    return whole == 0 && excess >= of_block ? 1u : whole;
  };
  if (slack.primary < least) return {BlockMove::To::primary, 0, true};
  if (slack.secondary < most && slack.primary > least) {
    const unsigned given = blocks(slack.primary - least, slack.primary_block);
    return given == 0 ? BlockMove{} : BlockMove{BlockMove::To::secondary, given, false};
  }
  if (slack.secondary > most) {
    const unsigned given = blocks(slack.secondary - most, slack.secondary_block);
    return given == 0 ? BlockMove{} : BlockMove{BlockMove::To::primary, given, false};
  }
  return {};
}

Storage storage(const ScavengerParameters& p, unsigned warps, unsigned schedulers) {
  const auto bits = [](std::uint64_t most) { return static_cast<unsigned>(std::bit_width(most)); };
  const std::uint64_t cycles = p.max_profile;
  const std::uint64_t instructions = cycles * schedulers;
  // Cycles, instructions, lanes, memory instructions, their lines, and the histogram's total.
  const unsigned counters = bits(cycles) + bits(instructions) + bits(instructions * kWarpSize) + bits(instructions) +
                            bits(instructions * kWarpSize) + bits(instructions);
  constexpr unsigned kSmallSets = 4;
  // An element of a window is a mean that has been brought to nine bits; the total is the running sum (5.6.2).
  constexpr unsigned kElementBits = 9;
  constexpr unsigned kTotalBits = 16;
  Storage storage;
  storage.profile = kBuckets * (kWideBits + kSmallSets * kNarrowBits) + (1 + kSmallSets) * counters;
  storage.run = kBuckets * kNarrowBits + kTotalBits + 2 * p.elements * kElementBits;
  // Two shares with eight bits of fraction, the target, the time in a state, and the shortfall.
  storage.others = bits(warps) + 8 + bits(p.requests) + 8 + kTotalBits + bits(p.max_run) + bits(p.detect) + kTotalBits;
  return storage;
}

}  // namespace heddle::gpu::scavenger
