// Simulated time.
//
// The core clock is the machine's common time base: ports, quanta and statistics count core cycles. A part with a clock of
// its own ticks as often as the ratio of the two clocks says, exactly: tick k of a clock of f MHz happens in core cycle
// floor(k * core / f).
#pragma once

#include <cstdint>
#include <limits>

namespace heddle::sim {

using Cycle = std::uint64_t;
inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

/// Counts the ticks of another clock against core cycles.
class ClockRatio {
 public:
  ClockRatio(std::uint64_t mhz, std::uint64_t core_mhz) : mhz_(mhz), core_mhz_(core_mhz) {}
  /// Ticks that happen in core cycles before `cycle`.
  [[nodiscard]] std::uint64_t ticks_before(Cycle cycle) const {
    return static_cast<std::uint64_t>(static_cast<Wide>(cycle) * mhz_ / core_mhz_);
  }
  /// The core cycle in which tick `tick` happens.
  [[nodiscard]] Cycle cycle_of(std::uint64_t tick) const {
    return static_cast<Cycle>((static_cast<Wide>(tick) * core_mhz_ + mhz_ - 1) / mhz_);
  }

 private:
  __extension__ using Wide = unsigned __int128;  // a product of two 64-bit numbers

  std::uint64_t mhz_;
  std::uint64_t core_mhz_;
};

}  // namespace heddle::sim
