#include "core/shared_memory.h"

#include <algorithm>
#include <array>
#include <bit>

namespace heddle::core {

using sim::Cycle;

namespace {

/// Whether all words lie so close together that no two of them share a bank: the common case. Of wide accesses as well.
bool within_a_row(const exec::MemoryAccess& access, LaneMask lanes, unsigned banks) {
  const auto some = static_cast<std::uint32_t>(access.address[static_cast<unsigned>(std::countr_zero(lanes))] / 4);
  std::uint32_t first = some;
  std::uint32_t last = some;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const std::uint32_t word = (lanes >> lane & 1) != 0 ? static_cast<std::uint32_t>(access.address[lane] / 4) : some;
    first = std::min(first, word);
    last = std::max(last, word);
  }
  return last - first + std::max(1u, access.bytes / 4) <= banks;
}

/// Whether no bank is asked for two different words, in one short pass.
bool is_conflict_free(const exec::MemoryAccess& access, LaneMask lanes, unsigned banks) {
  if (within_a_row(access, lanes, banks)) return true;
  std::array<std::uint32_t, 64> first;
  std::uint64_t seen = 0;
  bool conflict = false;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto word = static_cast<std::uint32_t>(access.address[static_cast<unsigned>(std::countr_zero(left))] / 4);
    const unsigned bank = word & (banks - 1);
    if ((seen >> bank & 1) == 0) {
      seen |= std::uint64_t{1} << bank;
      first[bank] = word;
    }
    conflict |= first[bank] != word;
  }
  return !conflict;
}

}  // namespace

SharedPasses shared_passes(const SharedAccess& shared) {
  constexpr unsigned kWord = 4;
  const auto& [access, lanes, banks, is_atomic, window_bytes] = shared;
  if (!is_atomic && lanes != 0 && access.bytes <= kWord && is_conflict_free(access, lanes, banks)) return {};
  const unsigned words_of_lane = std::max(1u, access.bytes / kWord);
  const unsigned groups =
      is_atomic ? words_of_lane : std::clamp(access.bytes * kWarpSize / window_bytes, 1u, kWarpSize);
  const unsigned lanes_per_group = kWarpSize / groups;
  SharedPasses passes{0, 0, 1};
  for (unsigned g = 0; g < groups; ++g) {
    const LaneMask group =
        lanes & (groups == 1 ? kAllLanes : ((LaneMask{1} << lanes_per_group) - 1) << (g * lanes_per_group));
    if (group == 0) continue;
    if (!is_atomic && within_a_row(access, group, banks)) {
      ++passes.all;
      passes.most_of_group = std::max(passes.most_of_group, 1u);
      ++passes.least;
      continue;
    }
    std::array<std::uint8_t, 64> count{};
    std::array<std::array<std::uint32_t, kWarpSize>, 64> words;
    unsigned most = 1;
    for (LaneMask left = group; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      for (unsigned w = 0; w < words_of_lane; ++w) {
        const auto word = static_cast<std::uint32_t>(access.address[lane] / kWord + w);
        const unsigned bank = word & (banks - 1);
        bool known = false;
        for (unsigned i = 0; i < count[bank] && !known && !is_atomic; ++i) known = words[bank][i] == word;
        if (known || count[bank] >= words[bank].size()) continue;
        words[bank][count[bank]++] = word;
        most = std::max<unsigned>(most, count[bank]);
      }
    }
    passes.all += most;
    passes.most_of_group = std::max(passes.most_of_group, most);
    ++passes.least;
  }
  passes.all = std::max(passes.all, 1u);
  passes.least = std::max(passes.least, 1u);
  return passes;
}

namespace {

/// Whether hardware has no instruction for it where it loops at all.
bool is_loop(const isa::Instruction& i) {
  if (isa::is_float(i.type)) return true;
  return isa::size_of(i.type) == 8 && i.atomic != isa::Atomic::cas && i.atomic != isa::Atomic::exch;
}

}  // namespace

SharedMemory::Use SharedMemory::use(const isa::Instruction& instruction, const exec::MemoryAccess& access,
                                    LaneMask lanes, unsigned block, Cycle now) {
  const bool is_atomic = instruction.atomic != isa::Atomic::none;
  const SharedPasses passes = shared_passes({access, lanes, banks_, is_atomic, p_.window_bytes});
  if (is_atomic && p_.loop.round != 0 && is_loop(instruction)) return loop(access, lanes, passes, block, now);
  const unsigned times = instruction.atomic == isa::Atomic::cas ? p_.swap_passes.get() : 1;
  const unsigned all = passes.all * times;
  return {all, passes.least - 1 + (all - passes.least) * p_.way_latency, 0, all - 1, false};
}

SharedMemory::Use SharedMemory::loop(const exec::MemoryAccess& access, LaneMask lanes, const SharedPasses& passes,
                                     unsigned block, Cycle now) {
  constexpr std::size_t kWords = 4096;
  const bool wide = access.bytes == 8;
  const unsigned round = wide ? p_.loop.wide_round : p_.loop.round;
  const unsigned hold = wide ? p_.loop.wide_hold : p_.loop.hold;
  if (free_at_.empty()) free_at_.resize(kWords);
  unsigned rounds = passes.most_of_group;
  Cycle until = 0;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t address = access.address[lane];
    unsigned same = 0;
    for (LaneMask others = lanes; others != 0; others &= others - 1)
      same += access.address[static_cast<unsigned>(std::countr_zero(others))] == address ? 1 : 0;
    rounds = std::max(rounds, same);
    const std::uint64_t word = address / access.bytes + std::uint64_t{block} * 0x9e3779b97f4a7c15u;
    Cycle& free_at = free_at_[(word ^ word >> 32) % kWords];
    free_at = std::max(free_at, now) + hold;
    until = std::max(until, free_at);
  }
  const unsigned busy = p_.loop.first_passes + (rounds - 1) * p_.loop.passes;
  const unsigned first = wide ? p_.loop.wide_first : p_.loop.first;
  return {busy, first + (rounds - 1) * round, until, busy - 1, true};
}

}  // namespace heddle::core
