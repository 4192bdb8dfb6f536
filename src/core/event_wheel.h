// Things that will happen in an SM at a known cycle.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/time.h"

namespace heddle::core {

enum class EventKind : std::uint8_t {
  result,            ///< a register write, for operand storage: warp, and pc of the instruction
  wake,              ///< a warp may have become ready
  fence_ended,       ///< of a warp
  line_done,         ///< a line of memory instruction `data` has its data
  compacted_result,  ///< a register write of several warps: the slot, and the record of the instruction
};

struct Event {
  EventKind kind = EventKind::wake;
  std::uint8_t warp = 0;
  std::uint32_t data = 0;
};

/// Events by cycle. Those of one cycle come out in the order in which they were added. A ring of lists covers the near
/// future and is small enough to stay in the host's cache; what is further ahead, which is rare, waits in a list. To
/// wake a warp, which is what most events are for, takes a bit only; those of a cycle come out together, first.
class EventWheel {
 public:
  EventWheel() { last_.fill(kNone); }

  void add(sim::Cycle now, sim::Cycle at, const Event& event) {
    if (at <= now) at = now + 1;
    if (at - now >= kSpan) {
      far_.push_back({at, event});
      next_far_ = std::min(next_far_, at);
      return;
    }
    const std::uint32_t index = new_node(event);
    std::uint32_t& last = last_[at % kSpan];
    if (last == kNone) {
      nodes_[index].next = index;
      occupied_[at % kSpan / 64] |= std::uint64_t{1} << (at % 64);
    } else {
      nodes_[index].next = nodes_[last].next;
      nodes_[last].next = index;
    }
    last = index;
  }

  /// The warp is to be looked at in a cycle after `now`.
  void wake(sim::Cycle now, sim::Cycle at, unsigned warp) {
    if (at - now >= kSpan) return add(now, at, {EventKind::wake, static_cast<std::uint8_t>(warp), 0});
    wakes_[at % kSpan] |= std::uint64_t{1} << warp;
    occupied_[at % kSpan / 64] |= std::uint64_t{1} << (at % 64);
  }

  [[nodiscard]] bool due(sim::Cycle now) const {
    return (occupied_[now % kSpan / 64] >> (now % 64) & 1) != 0 || next_far_ == now;
  }

  /// Calls wake(warps) for those that are to be woken in this cycle, then take(event) for each event of it, and forgets
  /// them. Both may add events of later cycles.
  template <typename Wake, typename Take>
  void take(sim::Cycle now, Wake&& wake, Take&& take) {
    if (next_far_ == now) take_far(now, take);  // added before any near event of the cycle
    const std::uint64_t warps = std::exchange(wakes_[now % kSpan], 0);
    const std::uint32_t last = std::exchange(last_[now % kSpan], kNone);
    occupied_[now % kSpan / 64] &= ~(std::uint64_t{1} << (now % 64));
    if (warps != 0) wake(warps);
    if (last == kNone) return;
    for (std::uint32_t index = nodes_[last].next, next = 0;; index = next) {
      const Event event = nodes_[index].event;
      next = nodes_[index].next;
      nodes_[index].next = std::exchange(free_, index);
      take(event);
      if (index == last) return;
    }
  }

  /// The first cycle at or after `from` with an event, where `from` is at most one cycle ahead of the last that was
  /// looked at; kNever if there is none.
  [[nodiscard]] sim::Cycle next(sim::Cycle from) const {
    const std::size_t start = from % kSpan;
    for (std::size_t step = 0; step <= kWords; ++step) {
      const std::size_t word = (start / 64 + step) % kWords;
      std::uint64_t bits = occupied_[word];
      if (step == 0) bits &= ~std::uint64_t{0} << (start % 64);
      if (step == kWords) bits &= ~(~std::uint64_t{0} << (start % 64));
      if (bits == 0) continue;
      const std::size_t slot = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      return std::min(next_far_, from + (slot + kSpan - start) % kSpan);
    }
    return next_far_;
  }

 private:
  static constexpr std::size_t kSpan = 512;
  static constexpr std::size_t kWords = kSpan / 64;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Node {
    Event event;
    std::uint32_t next;  ///< of the same cycle, the last one's is the first; or of the free ones
  };
  struct Far {
    sim::Cycle at;
    Event event;
  };

  std::uint32_t new_node(const Event& event) {
    if (free_ == kNone) {
      nodes_.push_back({event, kNone});
      return static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    const std::uint32_t index = free_;
    free_ = nodes_[index].next;
    nodes_[index].event = event;
    return index;
  }

  template <typename Take>
  void take_far(sim::Cycle now, Take& take) {
    std::vector<Event> due;
    next_far_ = sim::kNever;
    std::erase_if(far_, [&](const Far& far) {
      if (far.at == now) {
        due.push_back(far.event);
      } else {
        next_far_ = std::min(next_far_, far.at);
      }
      return far.at == now;
    });
    for (const Event& event : due) take(event);
  }

  std::array<std::uint32_t, kSpan> last_;     ///< of each cycle of the near future
  std::array<std::uint64_t, kSpan> wakes_{};  ///< likewise: warps
  std::array<std::uint64_t, kWords> occupied_{};
  std::vector<Node> nodes_;
  std::uint32_t free_ = kNone;
  std::vector<Far> far_;  ///< in the order in which they were added
  sim::Cycle next_far_ = sim::kNever;
};

}  // namespace heddle::core
