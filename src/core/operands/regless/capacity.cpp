// The capacity manager of a shard: which warps may run (RegLess, section 4.5.1).
#include <algorithm>
#include <bit>

#include "core/operands/regless/shard.h"
#include "exec/warp.h"

namespace heddle::core {

using sim::Cycle;

void RegLessShard::fetched(unsigned index, Cycle now) {
  Warp& warp = warps_[index];
  if (warp.state != State::inactive && warp.state != State::draining) return;
  if (!warp.fetched) {
    // Its next region is decoded while the last results of this one are on their way.
    warp.fetched = true;
    warp.region = &warp.code->at(warp.state_of->path.pc);
    warp.eligible_at = now + warp.region->start_words;
    statistics_.metadata_words += warp.region->start_words + warp.region->flag_words;
    if (warp.came) arrive(warp, index);
  }
  if (warp.late) {
    warp.late = false;
    for (const PendingWrite& write : warp.pending) land(index, write);
    warp.pending.clear();
    drained(index, now);
  } else if (warp.state == State::inactive) {
    push(index, now);
  }
}

/// It waits for room.
void RegLessShard::push(unsigned index, Cycle now) {
  Warp& warp = warps_[index];
  if (warp.leaving) return;
  warp.fetched = false;
  warp.state = State::stacked;
  warp.stacked_at = now;
  stack_.push_back(static_cast<std::uint8_t>(index));
  retries_ = true;
  wake_by(now);
}

bool RegLessShard::fits(const Warp& warp, unsigned index) const {
  const isa::Region& region = *warp.region;
  std::array<unsigned, isa::kRegionBanks> entries{};
  for (const isa::PreparedRegister& entry : region.list) ++entries[bank_of(name_of(index, entry.reg))];
  for (unsigned b = 0; b < isa::kRegionBanks; ++b) {
    const unsigned bank = (b + bank_warp_[index]) % isa::kRegionBanks;
    if (promised_[bank] + region.need[b] > lines_per_bank_) return false;
    if (!queues_[bank].empty() && queues_[bank].size() + entries[bank] > lines_per_bank_) return false;
  }
  return true;
}

/// One warp a cycle, the top of the stack or, if so set, one of the first few.
void RegLessShard::activate(Cycle now) {
  if (stack_.empty()) {
    retries_ = false;
    return;
  }
  bool waits = false;
  const std::size_t tried = std::min<std::size_t>(p_.scan, stack_.size());
  for (std::size_t n = 0; n < tried; ++n) {
    const std::size_t at = stack_.size() - 1 - n;
    const unsigned index = stack_[at];
    if (warps_[index].eligible_at > now) {
      wake_by(warps_[index].eligible_at);
      waits = true;
      continue;
    }
    if (!fits(warps_[index], index)) continue;
    stack_.erase(stack_.begin() + static_cast<std::ptrdiff_t>(at));
    begin(index, now);
    if (!stack_.empty()) wake_by(now + 1);
    return;
  }
  if (!waits) ++statistics_.refusals;
  retries_ = waits;
}

void RegLessShard::begin(unsigned index, Cycle now) {
  Warp& warp = warps_[index];
  statistics_.stack_cycles += now - warp.stacked_at;
  statistics_.longest_wait.at_least(now - warp.stacked_at);
  warp.activated_at = now;
  warp.state = State::preloading;
  for (unsigned b = 0; b < isa::kRegionBanks; ++b) {
    const unsigned bank = (b + bank_warp_[index]) % isa::kRegionBanks;
    warp.promised[bank] = warp.region->need[b];
    promised_[bank] += warp.region->need[b];
  }
  warp.outstanding = static_cast<unsigned>(warp.region->list.size()) + 1;
  for (const isa::PreparedRegister& entry : warp.region->list) {
    const StagedName name = name_of(index, entry.reg);
    queues_[bank_of(name)].push_back({name, entry.what});
  }
  prepared(index, now);
}

void RegLessShard::prepared(unsigned index, Cycle now) {
  Warp& warp = warps_[index];
  if (--warp.outstanding != 0) return;
  warp.state = State::active;
  warp.active_at = now;
  statistics_.preload_cycles += now - warp.activated_at;
  const Cycle decoded = warp.eligible_at + std::min<unsigned>(warp.region->flag_words, 1);
  if (decoded <= now) return unbar(index);
  warp.resumes_at = decoded;
  resuming_ |= std::uint64_t{1} << index;
  wake_by(decoded);
}

void RegLessShard::promise_only_pending(Warp& warp) {
  std::array<std::uint8_t, isa::kRegionBanks> kept{};
  const auto index = static_cast<unsigned>(&warp - warps_.data());
  for (const PendingWrite& write : warp.pending) ++kept[bank_of(name_of(index, write.reg))];
  for (unsigned bank = 0; bank < isa::kRegionBanks; ++bank) {
    promised_[bank] -= warp.promised[bank] - kept[bank];
    warp.promised[bank] = kept[bank];
  }
  retries_ = true;
}

void RegLessShard::region_ended(unsigned index, Cycle now) {
  Warp& warp = warps_[index];
  bar(index);
  ++statistics_.regions;
  statistics_.region_instructions += warp.region->size();
  statistics_.active_cycles += now - warp.active_at;
  promise_only_pending(warp);
  warp.state = State::draining;
  warp.fetched = false;
  if (warp.pending.empty()) drained(index, now);
  wake_by(now + 1);
}

void RegLessShard::drained(unsigned index, Cycle now) {
  Warp& warp = warps_[index];
  promise_only_pending(warp);
  statistics_.region_cycles += now - warp.activated_at;
  warp.state = State::inactive;
  if (warp.fetched) push(index, now);
  wake_by(now);
}

/// Warps that have decoded the metadata in their way go on.
void RegLessShard::resume(Cycle now) {
  for (std::uint64_t left = resuming_; left != 0; left &= left - 1) {
    const auto index = static_cast<unsigned>(std::countr_zero(left));
    if (warps_[index].resumes_at > now) {
      wake_by(warps_[index].resumes_at);
      continue;
    }
    resuming_ &= ~(std::uint64_t{1} << index);
    if (warps_[index].state == State::active) unbar(index);
  }
}

}  // namespace heddle::core
