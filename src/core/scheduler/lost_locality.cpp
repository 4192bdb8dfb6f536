#include "core/scheduler/lost_locality.h"

#include <algorithm>
#include <bit>

namespace heddle::core {

using sim::Cycle;

LostLocality::LostLocality(const LostLocalityParameters& parameters)
    : p_(parameters), counts_(p_.scoring.is("counters")), base_(counts_ ? 0 : p_.base_score.get()) {}

void LostLocality::started(unsigned warp) {
  finished(warp);
  active_ |= bit(warp);
}

void LostLocality::finished(unsigned warp) {
  active_ &= ~bit(warp);
  waiting_ &= ~bit(warp);
  leave_line(warp);
}

void LostLocality::at_barrier(unsigned warp, bool waits) {
  waiting_ = waits ? waiting_ | bit(warp) : waiting_ & ~bit(warp);
  looked_at_ = sim::kNever;
}

std::int64_t LostLocality::cutoff() const { return counts_ ? p_.cutoff.get() : base_ * std::popcount(active_); }

std::int64_t LostLocality::worth() const {
  if (counts_) return 1;
  if (instructions_ == 0) return 0;
  return static_cast<std::int64_t>(p_.throttle * static_cast<std::uint64_t>(cutoff()) * tags_found_ / instructions_);
}

void LostLocality::lost(unsigned warp, unsigned weight, Cycle now) {
  ++tags_found_;
  raise(warp, weight, now);
}

void LostLocality::raise(unsigned warp, unsigned weight, Cycle now) {
  raise_to(warp, (counts_ ? score(warp, now) : 0) + worth() * weight, now);
}

void LostLocality::add(unsigned warp, unsigned parts, unsigned of, unsigned points, Cycle now) {
  const std::int64_t before = score(warp, now);
  if (counts_) return raise_to(warp, before + parts, now);
  const std::int64_t most = worth();
  const std::int64_t more = points != 0 ? std::int64_t{points} * parts : most * parts / of;
  raise_to(warp, std::min(before + more, most), now);
}

std::int64_t LostLocality::score(unsigned warp, Cycle now) const {
  if ((active_ & bit(warp)) == 0) return 0;
  return std::max(base_, level_[warp] - fallen(now));
}

void LostLocality::raise_to(unsigned warp, std::int64_t to, Cycle now) {
  if ((active_ & bit(warp)) == 0 || to <= score(warp, now)) return;
  leave_line(warp);
  level_[warp] = to + fallen(now);
  const auto place = std::find_if(line_.begin(), line_.end(), [&](std::uint8_t other) {
    return level_[other] < level_[warp] || (level_[other] == level_[warp] && other > warp);
  });
  line_.insert(place, static_cast<std::uint8_t>(warp));
}

void LostLocality::leave_line(unsigned warp) {
  std::erase(line_, static_cast<std::uint8_t>(warp));
  level_[warp] = 0;
  looked_at_ = sim::kNever;
}

void LostLocality::drop_fallen(Cycle now) {
  while (!line_.empty() && level_[line_.back()] - fallen(now) <= base_) leave_line(line_.back());
}

WarpSet LostLocality::admitted(Cycle now) {
  if (counts_ || line_.empty()) return ~WarpSet{0};
  if (looked_at_ == now) return admitted_;
  drop_fallen(now);
  WarpSet in = 0;
  WarpSet rest = active_ & ~waiting_;
  const std::int64_t most = cutoff();
  std::int64_t total = 0;
  for (const unsigned warp : line_) {
    if ((rest & bit(warp)) == 0) continue;
    if (total >= most) break;
    in |= bit(warp);
    total += level_[warp] - fallen(now);
  }
  for (const unsigned warp : line_) rest &= ~bit(warp);
  for (; rest != 0 && total < most; rest &= rest - 1) {
    in |= rest & ~(rest - 1);
    total += base_;
  }
  looked_at_ = now;
  return admitted_ = in;
}

int LostLocality::first(WarpSet warps, Cycle now) {
  if (!counts_ || line_.empty()) return kNoWarp;
  drop_fallen(now);
  std::int64_t total = 0;
  for (const unsigned warp : line_) total += level_[warp] - fallen(now);
  if (total <= cutoff()) return kNoWarp;
  const auto found =
      std::find_if(line_.begin(), line_.end(), [&](std::uint8_t warp) { return (warps & bit(warp)) != 0; });
  return found == line_.end() ? kNoWarp : *found;
}

}  // namespace heddle::core
