#include "sim/time.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::sim {
namespace {

using Tick = Ticks<struct OneClock>;
using OtherTick = Ticks<struct AnotherClock>;

// Times of different clocks do not become each other, nor do core cycles.
static_assert(!std::is_convertible_v<Cycle, Tick> && !std::is_convertible_v<Tick, Cycle>);
static_assert(!std::is_convertible_v<Tick, OtherTick> && !std::is_constructible_v<Tick, OtherTick>);
static_assert(!std::is_convertible_v<unsigned, Tick>);

TEST(Clock, CountsTicksExactlyHoweverTimeAdvances) {
  std::mt19937_64 random(1);
  for (const auto& [mhz, core_mhz] : {std::pair{1500.0, 700.0},
                                      {700.0, 700.0},
                                      {924.0, 1400.0},
                                      {1562.5, 1980.0},
                                      {177.4, 1020.0},
                                      {3000.0, 1.0},
                                      {1.0, 3000.0}}) {
    Clock<Tick> clock(mhz, core_mhz);
    const auto khz = static_cast<std::uint64_t>(mhz * 1000);
    const auto core_khz = static_cast<std::uint64_t>(core_mhz * 1000);
    Cycle now = 0;
    for (int step = 0; step < 5000; ++step) {
      const std::uint64_t ticks = now * khz / core_khz;
      ASSERT_EQ(clock.ticks_before(now).count(), ticks);
      for (const std::uint64_t ahead : {0, 1, 2, 7, 1000}) {
        const std::uint64_t tick = ticks + ahead;
        const Cycle at = clock.cycle_of(Tick(tick));
        ASSERT_LE(at * khz / core_khz, tick);
        ASSERT_GT((at + 1) * khz / core_khz, tick);
      }
      now += step % 3 == 0 ? random() % 5000 : 1;
    }
  }
}

}  // namespace
}  // namespace heddle::sim
