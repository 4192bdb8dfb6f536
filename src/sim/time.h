// Simulated time.
//
// The core clock is the machine's common time base: ports, quanta and statistics count core cycles. A part with a clock
// of its own ticks as often as the ratio of the two clocks says, exactly.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

namespace heddle::sim {

using Cycle = std::uint64_t;
inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

/// A time of another clock than the core's, counted in its ticks. Which clock it is, is part of the type: core cycles
/// and ticks, or ticks of two clocks, do not mix.
template <typename ClockName>
class Ticks {
 public:
  constexpr Ticks() = default;
  explicit constexpr Ticks(std::uint64_t count) : count_(count) {}
  /// A constant in the source is of any clock; cycles are no `int`.
  template <std::same_as<int> Constant>
  constexpr Ticks(Constant count) : count_(static_cast<std::uint64_t>(count)) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] static constexpr Ticks never() { return Ticks(kNever); }

  [[nodiscard]] constexpr std::uint64_t count() const { return count_; }
  constexpr bool operator==(const Ticks&) const = default;
  constexpr bool operator<(Ticks other) const { return count_ < other.count_; }
  constexpr bool operator>(Ticks other) const { return count_ > other.count_; }
  constexpr bool operator<=(Ticks other) const { return count_ <= other.count_; }
  constexpr bool operator>=(Ticks other) const { return count_ >= other.count_; }
  constexpr Ticks& operator++() {
    ++count_;
    return *this;
  }
  constexpr Ticks& operator+=(std::uint64_t ticks) {
    count_ += ticks;
    return *this;
  }
  friend constexpr Ticks operator+(Ticks a, std::uint64_t ticks) { return Ticks(a.count_ + ticks); }
  friend constexpr Ticks operator-(Ticks a, std::uint64_t ticks) { return Ticks(a.count_ - ticks); }
  friend constexpr std::uint64_t operator-(Ticks a, Ticks b) { return a.count_ - b.count_; }

 private:
  std::uint64_t count_ = 0;
};

/// Counts the ticks of another clock along with core cycles. Time only goes forward, and mostly by a cycle or two: the
/// remainder of the ratio is carried on, so that this costs no division.
template <typename Tick>
class Clock {
 public:
  /// Clocks in MHz, exact to a kilohertz.
  Clock(double mhz, double core_mhz)
      : khz_(static_cast<std::uint64_t>(std::llround(mhz * 1000))),
        core_khz_(static_cast<std::uint64_t>(std::llround(core_mhz * 1000))) {}

  /// Ticks that happen in core cycles before `cycle`; not before that of the last call.
  Tick ticks_before(Cycle cycle) {
    if (khz_ == core_khz_) return Tick(ticks_ = cycle_ = cycle);
    const Cycle passed = cycle - cycle_;
    cycle_ = cycle;
    remainder_ += passed * khz_;
    if (passed <= kFew) {
      for (; remainder_ >= core_khz_; remainder_ -= core_khz_) ++ticks_;
    } else {
      ticks_ += remainder_ / core_khz_;
      remainder_ %= core_khz_;
    }
    return Tick(ticks_);
  }
  /// The core cycle in which tick `tick` (counted from 0) happens, if that is not before the cycle of the last call to
  /// ticks_before(); that cycle otherwise.
  [[nodiscard]] Cycle cycle_of(Tick when) const {
    const std::uint64_t tick = when.count();
    if (khz_ == core_khz_) return tick < cycle_ ? cycle_ : tick;
    if (tick < ticks_) return cycle_;
    const std::uint64_t missing = (tick + 1 - ticks_) * core_khz_ - remainder_;
    if (missing <= khz_) return cycle_;
    if (missing <= 2 * khz_) return cycle_ + 1;
    return cycle_ + (missing + khz_ - 1) / khz_ - 1;
  }

 private:
  static constexpr Cycle kFew = 2;

  std::uint64_t khz_;
  std::uint64_t core_khz_;
  Cycle cycle_ = 0;
  std::uint64_t ticks_ = 0;      ///< before cycle_
  std::uint64_t remainder_ = 0;  ///< of cycle_ * khz_ by core_khz_
};

}  // namespace heddle::sim
