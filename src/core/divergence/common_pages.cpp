#include "core/divergence/common_pages.h"

#include <algorithm>
#include <bit>

namespace heddle::core {

void CommonPages::flush_if_due(sim::Cycle now) {
  if (shape_.flush == 0 || now / shape_.flush == window_) return;
  window_ = now / shape_.flush;
  std::fill(counters_.begin(), counters_.end(), std::uint8_t{0});
  saturated_ = 0;
}

bool CommonPages::any_saturated(sim::Cycle now) {
  flush_if_due(now);
  return saturated_ != 0;
}

void CommonPages::count(unsigned row, unsigned column) {
  std::uint8_t& value = counter(row, column);
  if (value == most_) return;
  if (++value == most_) ++saturated_;
}

void CommonPages::looked_up(std::uint64_t page, bool hit, std::uint64_t warps, sim::Cycle now) {
  flush_if_due(now);
  std::vector<std::uint8_t>& history = histories_[page];
  if (!hit) history.clear();
  const std::vector<std::uint8_t> before = history;
  for (std::uint64_t left = warps; left != 0; left &= left - 1) {
    const auto warp = static_cast<std::uint8_t>(std::countr_zero(left));
    for (const std::uint8_t other : before) {
      if (other == warp) continue;
      count(warp, other);
      if (shape_.symmetric) count(other, warp);
    }
    std::erase(history, warp);
    history.insert(history.begin(), warp);
    if (history.size() > shape_.history) history.pop_back();
  }
}

void CommonPages::forget(unsigned warp) {
  for (unsigned other = 0; other < shape_.warps; ++other) {
    for (std::uint8_t* value : {&counter(warp, other), &counter(other, warp)}) {
      if (*value == most_) --saturated_;
      *value = 0;
    }
  }
}

}  // namespace heddle::core
