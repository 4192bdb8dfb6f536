#include "core/event_wheel.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace heddle::core {
namespace {

constexpr auto kNoWarps = [](std::uint64_t warps) { EXPECT_EQ(warps, 0u); };

TEST(EventWheel, GivesEventsOfACycleInTheOrderTheyWereAddedIn) {
  EventWheel wheel;
  wheel.add(0, 1000, {EventKind::result, 1, 10});  // beyond the ring
  wheel.add(700, 1000, {EventKind::result, 2, 11});
  wheel.add(0, 5, {EventKind::wake, 3, 0});
  EXPECT_EQ(wheel.next(1), 5u);
  EXPECT_FALSE(wheel.due(4));
  EXPECT_TRUE(wheel.due(5));
  wheel.take(5, kNoWarps, [](const Event& event) { EXPECT_EQ(event.warp, 3); });
  EXPECT_EQ(wheel.next(701), 1000u);
  std::vector<unsigned> warps;
  wheel.take(1000, kNoWarps, [&](const Event& event) { warps.push_back(event.warp); });
  EXPECT_EQ(warps, (std::vector<unsigned>{1, 2}));
  EXPECT_EQ(wheel.next(1001), sim::kNever);
}

TEST(EventWheel, PutsWhatIsDueNowIntoTheNextCycle) {
  EventWheel wheel;
  wheel.add(7, 3, {EventKind::wake, 0, 0});
  EXPECT_EQ(wheel.next(8), 8u);
}

TEST(EventWheel, WakesTheWarpsOfACycleTogetherAndFirst) {
  EventWheel wheel;
  wheel.add(0, 20, {EventKind::line_done, 0, 7});
  wheel.wake(0, 20, 3);
  wheel.wake(5, 20, 63);
  wheel.wake(5, 21, 4);
  wheel.wake(0, 2000, 9);  // beyond the ring: an event
  EXPECT_EQ(wheel.next(6), 20u);
  std::vector<std::uint64_t> seen;
  const auto woken = [&](std::uint64_t warps) { seen.push_back(warps); };
  const auto event = [&](const Event& e) { seen.push_back(e.kind == EventKind::wake ? e.warp : e.data); };
  wheel.take(20, woken, event);
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{std::uint64_t{1} << 3 | std::uint64_t{1} << 63, 7}));
  EXPECT_FALSE(wheel.due(20));
  EXPECT_EQ(wheel.next(21), 21u);
  wheel.take(21, woken, event);
  EXPECT_EQ(wheel.next(22), 2000u);
  wheel.take(2000, woken, event);
  EXPECT_EQ(seen.back(), 9u);
  EXPECT_EQ(wheel.next(2001), sim::kNever);
}

TEST(EventWheel, AgreesWithASortedListOnRandomEvents) {
  EventWheel wheel;
  std::multimap<sim::Cycle, std::uint32_t> model;  // equal keys stay in the order of insertion
  std::mt19937 random(1);
  std::uint32_t name = 0;
  const auto add = [&](sim::Cycle now) {
    const sim::Cycle ahead = random() % 10 == 0 ? random() % 5000 : random() % 600;
    wheel.add(now, now + ahead, {EventKind::line_done, 0, name});
    model.emplace(now + std::max<sim::Cycle>(ahead, 1), name++);
  };
  sim::Cycle now = 0;
  for (int i = 0; i < 20; ++i) add(now);
  for (int step = 0; step < 20000 && !model.empty(); ++step) {
    now = wheel.next(now + 1);
    ASSERT_EQ(now, model.begin()->first);
    ASSERT_TRUE(wheel.due(now));
    std::vector<std::uint32_t> expected;
    for (auto [i, end] = model.equal_range(now); i != end; ++i) expected.push_back(i->second);
    model.erase(now);
    std::vector<std::uint32_t> got;
    wheel.take(now, kNoWarps, [&](const Event& event) {
      got.push_back(event.data);
      for (auto n = random() % 2 + (model.size() < 10 ? 1u : 0u); n > 0 && model.size() < 100; --n) add(now);
    });
    ASSERT_EQ(got, expected);
  }
}

}  // namespace
}  // namespace heddle::core
