// Simulated time.
//
// The core clock is the machine's common time base: ports, quanta and statistics count core cycles. A part with a clock
// of its own ticks as often as the ratio of the two clocks says, exactly.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace heddle::sim {

using Cycle = std::uint64_t;
inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

/// Counts the ticks of another clock against core cycles.
class ClockRatio {
 public:
  /// Clocks in MHz, exact to a kilohertz.
  ClockRatio(double mhz, double core_mhz)
      : khz_(static_cast<std::uint64_t>(std::llround(mhz * 1000))),
        core_khz_(static_cast<std::uint64_t>(std::llround(core_mhz * 1000))) {}
  /// Ticks that happen in core cycles before `cycle`. (64 bits hold the product for 10^12 cycles, half an hour of GPU
  /// time.)
  [[nodiscard]] std::uint64_t ticks_before(Cycle cycle) const { return cycle * khz_ / core_khz_; }
  /// The core cycle in which tick `tick` (counted from 0) happens.
  [[nodiscard]] Cycle cycle_of(std::uint64_t tick) const { return ((tick + 1) * core_khz_ + khz_ - 1) / khz_ - 1; }

 private:
  std::uint64_t khz_;
  std::uint64_t core_khz_;
};

}  // namespace heddle::sim
