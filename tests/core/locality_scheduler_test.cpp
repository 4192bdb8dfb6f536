// Schedulers that watch lost locality: victim tags, scores and admission, worked out by hand on small traces.
#include <gtest/gtest.h>

#include "core/memory_observer.h"
#include "core/parameters.h"
#include "core/scheduler/lost_locality.h"
#include "core/scheduler/victim_tags.h"
#include "sim/statistic.h"

namespace heddle::core {
namespace {

struct LocalityMachine : sim::ParameterGroup {
  SmParameters sm{*this, "sm", "An SM."};
  sim::StatisticGroup statistics{"sm"};
  std::unique_ptr<WarpScheduler> make(const std::string& name, SchedulerSetup setup = {}) {
    sm.set_text("scheduler", name);
    return sm.scheduler.make(statistics, "", setup);
  }
  [[nodiscard]] std::uint64_t counted(const std::string& path) const {
    return sim::totals(statistics).at("sm." + path);
  }
};

memory::LineTag line(std::uint64_t number) { return memory::LineTag(memory::PhysLine{number * 128}); }

void miss(WarpScheduler& scheduler, std::uint64_t number, unsigned warp, sim::Cycle now, bool walked = false) {
  scheduler.observer()->l1({line(number), warp, false, walked, now});
}

/// Starts warps and lets them issue so many instructions, none of them a load.
void run_in(WarpScheduler& scheduler, int warps, int instructions) {
  for (int w = 0; w < warps; ++w) scheduler.started(w, static_cast<std::uint64_t>(w));
  for (int i = 0; i < instructions; ++i) ASSERT_NE(scheduler.pick({.ready = 1, .now = 0}), kNoWarp);
}

/// Warps that may load in this cycle, asked one by one. Each answer that is not "none" is an instruction more.
WarpSet may_load(WarpScheduler& scheduler, int warps, sim::Cycle now) {
  WarpSet may = 0;
  for (int w = 0; w < warps; ++w) {
    const WarpSet one = WarpSet{1} << w;
    if (scheduler.pick({.ready = one, .about_to_load = one, .now = now}) != kNoWarp) may |= one;
  }
  return may;
}

TEST(VictimTags, AreFoundOnceByTheWarpThatLostThem) {
  VictimTags tags({.warps = 2, .sets = 1, .ways = 2});
  tags.insert(0, 7);
  EXPECT_FALSE(tags.take(1, 7));
  EXPECT_TRUE(tags.take(0, 7));
  EXPECT_FALSE(tags.take(0, 7)) << "it has come back";
}

TEST(VictimTags, KeepThoseOfASetThatWereLostLast) {
  VictimTags tags({.warps = 1, .sets = 2, .ways = 2});
  for (const std::uint64_t tag : {2u, 4u, 5u, 2u, 6u}) tags.insert(0, tag);
  EXPECT_FALSE(tags.take(0, 4)) << "2 was lost again after it";
  EXPECT_TRUE(tags.take(0, 2));
  EXPECT_TRUE(tags.take(0, 6));
  EXPECT_TRUE(tags.take(0, 5)) << "of the other set";
  tags.insert(0, 9);
  tags.clear(0);
  EXPECT_FALSE(tags.take(0, 9));
}

TEST(Ccws, ScoresAVictimTagByTheShareOfTagsAmongInstructionsAndForgetsAPointPerCycle) {
  LocalityMachine machine;
  machine.sm.set_text("ccws.throttle", "8");
  const auto* p = [&]() -> const LostLocalityParameters* {
    for (const sim::ParameterGroup* group : machine.sm.groups()) {
      if (const auto* found = dynamic_cast<const LostLocalityParameters*>(group)) return found;
    }
    return nullptr;
  }();
  ASSERT_NE(p, nullptr);
  LostLocality scores(*p);
  for (unsigned w = 0; w < 4; ++w) scores.started(w);
  for (int i = 0; i < 16; ++i) scores.issued();
  scores.lost(2, 1, 10);
  // 8 x (4 warps x 100) x 1 tag / 16 instructions
  EXPECT_EQ(scores.score(2, 10), 200);
  EXPECT_EQ(scores.score(0, 10), 100);
  EXPECT_EQ(scores.score(2, 60), 150);
  EXPECT_EQ(scores.score(2, 500), 100) << "never below base";
  scores.lost(2, 1, 60);
  EXPECT_EQ(scores.score(2, 60), 400) << "set to what two tags are worth, not added";
  scores.finished(2);
  EXPECT_EQ(scores.score(2, 60), 0);
  scores.started(2);
  EXPECT_EQ(scores.score(2, 60), 100) << "the next warp begins anew";
}

TEST(Ccws, HoldsBackLoadsOfTheWarpsBeyondTheCutoffAndNothingElse) {
  LocalityMachine machine;
  const auto ccws = machine.make("ccws");
  run_in(*ccws, 4, 16);
  ccws->observer()->l1_evicted(line(5), 2);
  miss(*ccws, 5, 1, 10);  // lost by another warp
  EXPECT_EQ(may_load(*ccws, 4, 10), 0b1111u);
  // 20 instructions by now: 8 x 400 x 1 / 20 = 160.
  miss(*ccws, 5, 2, 10);
  EXPECT_EQ(may_load(*ccws, 4, 10), 0b1111u) << "160 + 100 + 100 is below 400";
  ccws->observer()->l1_evicted(line(5), 2);
  // 24 instructions: 8 x 400 x 2 / 24 = 266, which with two others is 466.
  miss(*ccws, 5, 2, 20);
  EXPECT_EQ(may_load(*ccws, 4, 20), 0b0111u);
  EXPECT_EQ(ccws->pick({.ready = 0b1000, .now = 20}), 3) << "what is no load goes";
  EXPECT_EQ(may_load(*ccws, 4, 86), 0b0111u) << "200 + 100 + 100 is not below 400";
  EXPECT_EQ(may_load(*ccws, 4, 87), 0b1111u);
  EXPECT_EQ(machine.counted("ccws.lost"), 2u);
  EXPECT_EQ(machine.counted("ccws.held_back"), 2u);
}

TEST(Ccws, LetsTheWarpLoadThatReachesTheCutoffAlone) {
  LocalityMachine machine;
  const auto ccws = machine.make("ccws");
  run_in(*ccws, 4, 1);
  ccws->observer()->l1_evicted(line(5), 3);
  miss(*ccws, 5, 3, 0);  // 8 x 400: more than the cutoff
  EXPECT_EQ(may_load(*ccws, 4, 0), 0b1000u);
  ccws->at_barrier(3, true);
  EXPECT_EQ(may_load(*ccws, 4, 0), 0b0111u) << "it waits for others, who may have to load";
  ccws->at_barrier(3, false);
  EXPECT_EQ(may_load(*ccws, 4, 0), 0b1000u);
  ccws->finished(3);
  EXPECT_EQ(may_load(*ccws, 3, 0), 0b0111u);
}

TEST(Ccws, WithPlainCountersOnlyPutsHighScoresFirst) {
  LocalityMachine machine;
  machine.sm.set_text("ccws.scoring", "counters");
  machine.sm.set_text("ccws.cutoff", "2");
  machine.sm.set_text("ccws.decay", "1000");
  const auto ccws = machine.make("ccws");
  run_in(*ccws, 4, 1);
  int turn = 0;
  for (const unsigned warp : {3u, 3u, 1u}) {
    EXPECT_EQ(ccws->pick({.ready = 0b0111, .about_to_load = 0b0111, .now = 1}), ++turn % 3) << "the sum is at most 2";
    ccws->observer()->l1_evicted(line(5), warp);
    miss(*ccws, 5, warp, 1);
  }
  EXPECT_EQ(ccws->pick({.ready = 0b1111, .about_to_load = 0b1111, .now = 2}), 3);
  EXPECT_EQ(ccws->pick({.ready = 0b1111, .about_to_load = 0b1111, .now = 3}), 3);
  EXPECT_EQ(ccws->pick({.ready = 0b0111, .about_to_load = 0b0111, .now = 4}), 1);
  EXPECT_NE(ccws->pick({.ready = 0b0101, .about_to_load = 0b0101, .now = 5}), kNoWarp) << "nobody is barred";
}

TEST(TlbAwareCcws, WeighsALostLineMoreIfItsTranslationMissed) {
  for (const bool walked : {false, true}) {
    LocalityMachine machine;
    const auto scheduler = machine.make("ta-ccws");
    run_in(*scheduler, 4, 32);
    scheduler->observer()->l1_evicted(line(5), 0);
    miss(*scheduler, 5, 0, 10, walked);
    // 8 x 400 x 1 / 32 = 100, which is base; four times that is the whole cutoff.
    EXPECT_EQ(may_load(*scheduler, 4, 10), walked ? 0b0001u : 0b1111u);
    EXPECT_EQ(machine.counted("ta_ccws.lost_walked"), walked ? 1u : 0u);
  }
}

TEST(TlbAwareCcws, TakesPowersOfTwoOnly) {
  LocalityMachine machine;
  machine.sm.set_text("ta_ccws.tlb_miss", "3");
  try {
    (void)machine.make("ta-ccws");
    FAIL() << "3 is none";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("sm.ta_ccws.tlb_miss = 3: must be a power of two"), std::string::npos)
        << error.what();
  }
  machine.sm.set_text("ccws.victim_tags", "12");
  EXPECT_THROW((void)machine.make("ccws"), UserError);
}

TEST(Tcws, ScoresPagesThatTheTlbReplacedAndHitsByTheirDepth) {
  LocalityMachine machine;
  const auto tcws = machine.make("tcws");
  MemoryObserver& observer = *tcws->observer();
  run_in(*tcws, 4, 16);
  const auto hit = [&](unsigned depth, sim::Cycle now) { observer.tlb({{9}, 0, 1, true, depth, 0, now}); };
  hit(3, 5);
  EXPECT_EQ(may_load(*tcws, 4, 5), 0b1111u) << "while nothing was lost, hits score nothing";
  observer.tlb_evicted(0, {7}, 2);
  observer.tlb({{7}, 1, 2, false, 0, 0, 5});
  EXPECT_EQ(machine.counted("tcws.lost"), 0u) << "another address space";
  // 20 instructions: 8 x 400 x 1 / 20 = 160.
  observer.tlb({{7}, 0, 2, false, 0, 0, 5});
  EXPECT_EQ(machine.counted("tcws.lost"), 1u);
  EXPECT_EQ(may_load(*tcws, 4, 5), 0b1111u) << "160 + 100 + 100 is below 400";
  // 24 instructions: a tag is worth 133. Hits add 8/16 of it, up to it: 100 + 66 is too much, so 133.
  hit(3, 5);
  EXPECT_EQ(may_load(*tcws, 4, 5), 0b1111u) << "160 + 133 + 100 is below 400";
  EXPECT_EQ(machine.counted("tcws.raised"), 2u);
}

TEST(Tcws, AddsMoreForADeeperHit) {
  // Enough victims that a tag is worth much: 8 x 200 x 8 / 16 = 800 or less.
  for (const unsigned depth : {0u, 3u}) {
    LocalityMachine machine;
    const auto tcws = machine.make("tcws");
    MemoryObserver& observer = *tcws->observer();
    run_in(*tcws, 2, 16);
    for (std::uint64_t page = 0; page < 8; ++page) {
      observer.tlb_evicted(0, {page}, 1);
      observer.tlb({{page}, 0, 1, false, 0, 0, 0});
    }
    // Warp 1 falls back to base, then warp 0 hits: 800 x 1/16 = 50, or 800 x 8/16 = 400.
    observer.tlb({{100}, 0, 0, true, depth, 0, 5000});
    EXPECT_EQ(may_load(*tcws, 2, 5000), depth == 0 ? 0b11u : 0b01u);
  }
}

TEST(Tcws, NeedsHalfTheStorageOfCcws) {
  LocalityMachine machine;
  const SchedulerSetup thesis{.schedulers = 1, .warps = 48, .line_bytes = 128, .l1_lines = 256, .tlb_entries = 128};
  LocalityMachine other;
  const auto ccws = machine.make("ccws", thesis);
  const auto tcws = other.make("tcws", thesis);
  // 48 warps x 16 tags x (48 - 7 - 1 bits), and 6 bits in each of 256 lines; 48 x 8 x (48 - 12), and 6 in 128 entries.
  EXPECT_EQ(machine.counted("ccws.tag_bits"), 30720u);
  EXPECT_EQ(machine.counted("ccws.owner_bits"), 1536u);
  EXPECT_EQ(other.counted("tcws.tag_bits"), 13824u);
  EXPECT_EQ(other.counted("tcws.owner_bits"), 768u);
}

TEST(StaticLimit, LetsOnlyTheOldestWarpsIssue) {
  LocalityMachine machine;
  machine.sm.set_text("ccws_swl.warps", "2");
  const auto swl = machine.make("ccws-swl");
  for (int w = 0; w < 4; ++w) swl->started(w, static_cast<std::uint64_t>(10 - w));
  EXPECT_EQ(swl->pick({.ready = 0b1111, .now = 0}), 2);
  EXPECT_EQ(swl->pick({.ready = 0b1111, .now = 1}), 3);
  EXPECT_EQ(swl->pick({.ready = 0b0011, .now = 2}), kNoWarp);
  swl->at_barrier(3, true);
  EXPECT_EQ(swl->pick({.ready = 0b0011, .now = 3}), 1) << "who waits at a barrier leaves the place to the next";
  swl->at_barrier(3, false);
  swl->at_barrier(2, true);
  swl->finished(2);
  EXPECT_EQ(swl->pick({.ready = 0b0011, .now = 4}), 1);
  EXPECT_EQ(swl->pick({.ready = 0b0001, .now = 5}), kNoWarp);
  swl->finished(3);
  swl->finished(1);
  swl->started(2, 20);
  EXPECT_EQ(swl->pick({.ready = 0b0100, .now = 6}), 2) << "the warp before it had ended while it waited";
}

}  // namespace
}  // namespace heddle::core
