// Every registered warp scheduler keeps its interface's promises; each named one does what its name says.
#include <gtest/gtest.h>

#include <set>

#include "core/parameters.h"
#include "sim/statistic.h"

namespace heddle::core {
namespace {

struct Machine : sim::ParameterGroup {
  SmParameters sm{*this, "sm", "An SM."};
  sim::StatisticGroup statistics{"sm"};
  std::unique_ptr<WarpScheduler> make(const std::string& name, unsigned schedulers = 1) {
    sm.set_text("scheduler", name);
    return sm.scheduler.make(statistics, "", SchedulerSetup{.schedulers = schedulers});
  }
};

class EveryScheduler : public testing::TestWithParam<std::string> {
 protected:
  Machine machine_;
  std::unique_ptr<WarpScheduler> scheduler_ = machine_.make(GetParam());
};

TEST_P(EveryScheduler, PicksOnlyReadyWarpsAndNoneWhenNoneIs) {
  for (int w = 0; w < 16; ++w) scheduler_->started(w, static_cast<std::uint64_t>(w));
  std::uint64_t state = 12345;
  for (int step = 0; step < 2000; ++step) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const WarpSet ready = state >> 48;
    const int picked = scheduler_->pick({.ready = ready, .now = static_cast<sim::Cycle>(step)});
    if (picked != kNoWarp) {
      EXPECT_NE(ready >> picked & 1, 0u);
    }
    if (ready == 0) {
      EXPECT_EQ(picked, kNoWarp);
    }
  }
}

TEST_P(EveryScheduler, LetsEveryWarpComeToItsTurnWhenOthersBlock) {
  std::set<int> issued;
  WarpSet ready = 0xff;
  for (int w = 0; w < 8; ++w) scheduler_->started(w, static_cast<std::uint64_t>(w));
  for (int step = 0; step < 8; ++step) {
    const int picked = scheduler_->pick({.ready = ready, .now = static_cast<sim::Cycle>(step)});
    ASSERT_NE(picked, kNoWarp);
    issued.insert(picked);
    scheduler_->long_latency(picked, true);
    ready &= ~(WarpSet{1} << picked);
  }
  EXPECT_EQ(issued.size(), 8u);
}

TEST_P(EveryScheduler, ForgetsAWarpThatEnded) {
  // More warps than any scheduler keeps at hand: what remembers those that ended has no room for those that are left.
  constexpr int kWarps = 64;
  for (int w = 0; w < kWarps; ++w) scheduler_->started(w, static_cast<std::uint64_t>(w));
  WarpSet left = ~WarpSet{0};
  for (int ended = 0; ended < kWarps; ++ended) {
    const int picked = scheduler_->pick({.ready = left, .now = static_cast<sim::Cycle>(ended)});
    ASSERT_NE(picked, kNoWarp) << ended << " have ended";
    scheduler_->finished(picked);
    left &= ~(WarpSet{1} << picked);
  }
  // Their contexts are used again, and each new warp is as good as a first one.
  for (int w = 0; w < kWarps; ++w) scheduler_->started(w, static_cast<std::uint64_t>(kWarps + w));
  std::set<int> again;
  for (left = ~WarpSet{0}; left != 0;) {
    const int picked = scheduler_->pick({.ready = left, .now = static_cast<sim::Cycle>(kWarps + again.size())});
    ASSERT_NE(picked, kNoWarp) << again.size() << " have come to their turn";
    ASSERT_TRUE(again.insert(picked).second);
    scheduler_->finished(picked);
    left &= ~(WarpSet{1} << picked);
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryScheduler, testing::ValuesIn(SchedulerRegistry::instance().names()),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(GreedyThenOldest, StaysWithAWarpWhileItIsReadyThenTakesTheOldest) {
  Machine machine;
  const auto gto = machine.make("gto");
  gto->started(0, 5);
  gto->started(1, 2);
  gto->started(2, 9);
  EXPECT_EQ(gto->pick({.ready = 0b111, .now = 0}), 1);
  EXPECT_EQ(gto->pick({.ready = 0b111, .now = 1}), 1);
  EXPECT_EQ(gto->pick({.ready = 0b101, .now = 2}), 0);
  EXPECT_EQ(gto->pick({.ready = 0b111, .now = 3}), 0);
}

TEST(GreedyThenOldest, DoesNotStayWithAContextWhoseWarpEnded) {
  Machine machine;
  const auto gto = machine.make("gto");
  gto->started(0, 1);
  gto->started(1, 2);
  EXPECT_EQ(gto->pick({.ready = 0b11, .now = 0}), 0);
  gto->finished(0);
  gto->started(0, 3);  // a new warp in the same context: now the youngest
  EXPECT_EQ(gto->pick({.ready = 0b11, .now = 1}), 1);
}

TEST(LooseRoundRobin, GoesRoundTheReadyWarps) {
  Machine machine;
  const auto lrr = machine.make("lrr");
  EXPECT_EQ(lrr->pick({.ready = 0b1011, .now = 0}), 0);
  EXPECT_EQ(lrr->pick({.ready = 0b1011, .now = 1}), 1);
  EXPECT_EQ(lrr->pick({.ready = 0b1011, .now = 2}), 3);
  EXPECT_EQ(lrr->pick({.ready = 0b1011, .now = 3}), 0);
}

TEST(TwoLevel, GivesThePlaceOfAWarpAtABarrierToAnother) {
  Machine machine;
  machine.sm.set_text("two_level.active_warps", "1");
  const auto two = machine.make("two-level");
  for (int w = 0; w < 3; ++w) two->started(w, static_cast<std::uint64_t>(w));
  EXPECT_EQ(two->pick({.ready = 0b111, .now = 0}), 0);
  two->at_barrier(0, true);
  EXPECT_EQ(two->pick({.ready = 0b110, .now = 1}), 1);
  two->at_barrier(1, true);
  EXPECT_EQ(two->pick({.ready = 0b100, .now = 2}), 2);
  two->at_barrier(0, false);
  two->at_barrier(1, false);
  EXPECT_EQ(two->pick({.ready = 0b111, .now = 3}), 2) << "it stays while it can go on";
}

TEST(TwoLevel, GivesThePlaceOfAWarpThatIsHeldBackToAnother) {
  Machine machine;
  machine.sm.set_text("two_level.active_warps", "1");
  const auto two = machine.make("two-level");
  for (int w = 0; w < 2; ++w) two->started(w, static_cast<std::uint64_t>(w));
  EXPECT_EQ(two->pick({.ready = 0b11, .now = 0}), 0);
  EXPECT_EQ(two->pick({.ready = 0b10, .now = 1, .barred = 0b01}), 1) << "it may hold what the other waits for";
}

TEST(TwoLevel, IssuesOnlyFromItsActiveSet) {
  Machine machine;
  machine.sm.set_text("two_level.active_warps", "2");
  const auto two = machine.make("two-level");
  for (int w = 0; w < 4; ++w) two->started(w, static_cast<std::uint64_t>(w));
  std::set<int> picked;
  for (int step = 0; step < 6; ++step)
    picked.insert(two->pick({.ready = 0b1111, .now = static_cast<sim::Cycle>(step)}));
  EXPECT_EQ(picked, (std::set<int>{0, 1}));
  two->long_latency(0, true);
  picked.clear();
  for (int step = 0; step < 6; ++step)
    picked.insert(two->pick({.ready = 0b1110, .now = static_cast<sim::Cycle>(step)}));
  EXPECT_EQ(picked, (std::set<int>{1, 2}));
}

TEST_P(EveryScheduler, ServesTheSchedulersOfAnSmWithoutMixingThemUp) {
  const auto policy = machine_.make(GetParam(), 2);
  for (int w = 0; w < 8; ++w) policy->started(w, static_cast<std::uint64_t>(w));
  for (int step = 0; step < 50; ++step) {
    for (unsigned s = 0; s < 2; ++s) {
      const WarpSet mine = s == 0 ? 0x55 : 0xaa;
      const int picked = policy->pick({.ready = mine, .now = static_cast<sim::Cycle>(step), .scheduler = s});
      ASSERT_NE(picked, kNoWarp);
      EXPECT_NE(mine >> picked & 1, 0u);
    }
  }
}

}  // namespace
}  // namespace heddle::core
