// Things that will happen in an SM at a known cycle, a bounded number of cycles ahead.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "sim/time.h"

namespace heddle::core {

enum class EventKind : std::uint8_t {
  result,     ///< a register write: warp, and pc of the instruction
  refresh,    ///< a warp may have become ready
  line_done,  ///< a line of memory instruction `data` has its data
};

struct Event {
  EventKind kind = EventKind::refresh;
  std::uint8_t warp = 0;
  std::uint32_t data = 0;
};

class EventWheel {
 public:
  static constexpr std::size_t kSpan = 4096;  ///< furthest ahead an event may be

  void add(sim::Cycle now, sim::Cycle at, const Event& event) {
    if (at <= now) at = now + 1;
    HEDDLE_CHECK(at - now < kSpan, "an event is too far ahead");
    buckets_[at % kSpan].push_back(event);
    occupied_[at % kSpan / 64] |= std::uint64_t{1} << (at % 64);
    ++count_;
  }
  /// The events of a cycle, to be walked and then cleared.
  [[nodiscard]] std::vector<Event>& at(sim::Cycle now) { return buckets_[now % kSpan]; }
  void clear(sim::Cycle now) {
    count_ -= buckets_[now % kSpan].size();
    buckets_[now % kSpan].clear();
    occupied_[now % kSpan / 64] &= ~(std::uint64_t{1} << (now % 64));
  }
  /// The first cycle at or after `from` with an event.
  [[nodiscard]] sim::Cycle next(sim::Cycle from) const {
    if (count_ == 0) return sim::kNever;
    const std::size_t start = from % kSpan;
    for (std::size_t step = 0; step <= kSpan / 64; ++step) {
      const std::size_t word = (start / 64 + step) % (kSpan / 64);
      std::uint64_t bits = occupied_[word];
      if (step == 0) bits &= ~std::uint64_t{0} << (start % 64);
      if (step == kSpan / 64) bits &= start % 64 == 0 ? 0 : ~(~std::uint64_t{0} << (start % 64));
      if (bits == 0) continue;
      const std::size_t slot = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      return from + (slot + kSpan - start) % kSpan;
    }
    return sim::kNever;
  }

 private:
  std::array<std::vector<Event>, kSpan> buckets_;
  std::array<std::uint64_t, kSpan / 64> occupied_{};
  std::size_t count_ = 0;
};

}  // namespace heddle::core
