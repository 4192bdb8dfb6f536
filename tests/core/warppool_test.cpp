// WarpPool and what it is compared with, by hand, on the load/store unit by itself.
#include <random>

#include "base/diagnostics.h"
#include "core/coalescing.h"
#include "unit_bench.h"

namespace heddle::core {
namespace {

class Pool : public Unit {
 protected:
  Pool() { set("sm.coalescer", "warppool"); }
  std::uint32_t load_from(unsigned warp, std::uint64_t base, LaneMask lanes = 1) {
    warp_ = warp;
    return load(base, lanes);
  }
  std::uint64_t counter(const std::string& name) const { return sim::totals(root_).at("gpu.sm." + name); }
};

TEST_F(Pool, LoadsOfSeveralWarpsFromOneLineAreOneRequest) {
  build();
  const auto first = load_from(0, page(0));
  const auto second = load_from(5, page(0) + 64);
  const auto third = load_from(9, page(0) + 4);
  drain();
  EXPECT_EQ(statistics_.l1_reads.value(), 1u);
  EXPECT_EQ(counter("warppool.requests"), 1u);
  EXPECT_EQ(counter("warppool.served"), 3u);
  // Data is handed to one load per cycle, in the order in which they came.
  EXPECT_EQ(done_[second], done_[first] + 1);
  EXPECT_EQ(done_[third], done_[second] + 1);
}

TEST_F(Pool, OneWarpGetsWhatThePlainCoalescerGivesItThreeStagesLater) {
  std::map<std::string, std::map<std::uint32_t, Cycle>> done;
  for (const char* kind : {"intra", "warppool"}) {
    set("sm.coalescer", kind);
    build();
    now_ = 1;
    issued_ = 0;
    done_.clear();
    for (const std::uint64_t p : {0, 1, 0, 2, 1, 1}) {
      issue(exec::OpKind::load, page(p), 128, 0xf);
      drain();
      store(page(p));
      drain();
    }
    done[kind] = done_;
  }
  ASSERT_EQ(done["intra"].size(), done["warppool"].size());
  // Each load and each store is later by its stages: queue, pattern, insertion; a store is not inserted.
  Cycle later = 0;
  for (const auto& [number, cycle] : done["intra"]) {
    later += number % 2 == 0 ? 3 : 2;
    EXPECT_EQ(done["warppool"][number], cycle + later) << number;
  }
}

TEST_F(Pool, ALineServesNoMoreLoadsThanItHasSlots) {
  set("sm.warppool.insertion", "16");
  build();
  for (unsigned w = 0; w < 5; ++w) load_from(w, page(0));
  drain();
  EXPECT_EQ(done_.size(), 5u);
  EXPECT_EQ(counter("warppool.requests"), 2u) << "four share one, the fifth waits until that has gone";
  EXPECT_GT(counter("warppool.stall_slot"), 0u);
}

TEST_F(Pool, AFullLineTakesASecondPlaceWhereItMay) {
  set("sm.warppool.insertion", "16");
  set("sm.warppool.duplicates", "true");
  build();
  for (unsigned w = 0; w < 5; ++w) load_from(w, page(0));
  drain();
  EXPECT_EQ(counter("warppool.requests"), 2u);
  EXPECT_EQ(counter("warppool.stall_slot"), 0u);
}

TEST_F(Pool, TheOldestLineGoesFirstOrThatOfTheLowestWarp) {
  for (const char* select : {"oldest", "warp-id"}) {
    set("sm.warppool.select", select);
    set("sm.l1.mshrs", "1");
    build();
    done_.clear();
    // The first miss takes the only entry. The others meet behind it.
    load_from(40, page(0));
    step();
    const auto old = load_from(30, page(1));
    for (int i = 0; i < 10; ++i) step();
    const auto low = load_from(3, page(2));
    const auto middle = load_from(20, page(3));
    drain();
    EXPECT_LT(done_[old], done_[middle]) << "it was given to the L1 before the others came";
    EXPECT_LT(done_[low], done_[middle]);
  }
}

TEST_F(Pool, LowerWarpsLeaveTheQueuesFirst) {
  set("sm.warppool.coalescers", "1");
  build();
  issue(exec::OpKind::load, page(0), 128, 0xffff);  // keeps the coalescer busy
  step();
  const auto high = load_from(45, page(8));
  const auto low = load_from(1, page(9));
  drain();
  EXPECT_LT(done_[low], done_[high]);
}

TEST_F(Pool, AStoreWaitsForAllThatItsWarpHasNotSentAndLoadsForStores) {
  build();
  const WarpSet two = WarpSet{1} << 2;
  const WarpSet three = WarpSet{1} << 3;
  EXPECT_EQ(unit_->refuses(two | three, two | three), 0u);
  load_from(2, page(0), 0xff);
  EXPECT_EQ(unit_->refuses(two | three, 0), 0u) << "loads may follow loads";
  EXPECT_EQ(unit_->refuses(0, two | three), two) << "a store may not";
  drain();
  EXPECT_EQ(unit_->refuses(two, two), 0u);
  warp_ = 3;
  store(page(1));
  EXPECT_EQ(unit_->refuses(two | three, two | three), three) << "nothing may follow a store that waits";
  drain();
  EXPECT_EQ(unit_->refuses(three, three), 0u);
}

TEST_F(Pool, OtherWaysToKeepTheOrderHoldMoreBackOrNothing) {
  const WarpSet two = WarpSet{1} << 2;
  const WarpSet three = WarpSet{1} << 3;
  const WarpSet five = WarpSet{1} << 5;
  for (const char* order : {"counters", "flush", "loads-only", "none"}) {
    const bool of_the_sm = order == std::string("flush") || order == std::string("loads-only");
    SCOPED_TRACE(order);
    set("sm.warppool.order", order);
    build();
    load_from(2, page(0), 0xff);
    const WarpSet own = order == std::string("none") ? 0 : two;
    EXPECT_EQ(unit_->refuses(two | three, 0), 0u) << "loads may follow loads";
    EXPECT_EQ(unit_->refuses(0, two | three), of_the_sm ? two | three : own);
    drain();
    warp_ = 3;
    store(page(1));
    EXPECT_EQ(unit_->refuses(three, 0), order == std::string("none") ? 0 : three);
    EXPECT_EQ(unit_->refuses(five, 0), order == std::string("loads-only") ? five : 0) << "a load of another warp";
    EXPECT_EQ(unit_->refuses(0, five), of_the_sm ? five : 0);
    drain();
    EXPECT_EQ(unit_->refuses(five, five), 0u);
  }
  checker_ = std::make_unique<memory::LineChecker>();
  EXPECT_THROW(build(), UserError) << "a checked run looks at the order";
}

/// Lanes of several warps in one slot.
TEST_F(Pool, ASlotWaitsForWhatTheWarpsOfItsLanesHaveNotSent) {
  build();
  const WarpSet zero = 1;
  const WarpSet one = 2;
  unit_->slot_has(0, zero | one);
  load_from(1, page(0), 0xff);
  EXPECT_EQ(unit_->refuses(0, zero | one), zero | one) << "lanes of warp 1 are in both";
  drain();
  load_from(0, page(1), 0xff);
  EXPECT_EQ(unit_->refuses(0, one), one) << "what slot 0 issued is of warp 1 as well";
  unit_->slot_has(0, zero);
  EXPECT_EQ(unit_->refuses(0, zero | one), zero | one) << "it is still on its way";
  drain();
  EXPECT_EQ(unit_->refuses(zero | one, zero | one), 0u);
}

TEST_F(Pool, AFullQueueHoldsItsWarpsBackAndNoOthers) {
  set("sm.warppool.depth", "2");
  build();
  load_from(0, page(0));
  load_from(1, page(1));
  const WarpSet all = 0xffffffffffffu;
  EXPECT_EQ(unit_->refuses(all, 0), 7u) << "warps 0, 1 and 2 share a queue";
  drain();
  EXPECT_EQ(unit_->refuses(all, 0), 0u);
}

TEST_F(Pool, ChangesItsOrderWhenNearlyEverythingMisses) {
  set("sm.warppool.quantum", "100");
  build();
  for (std::uint64_t p = 0; p < 8; ++p) {
    load_from(static_cast<unsigned>(p), page(p));
    drain();
  }
  EXPECT_GE(counter("warppool.switches"), 2u) << "only misses: it goes back and forth";
  const std::uint64_t before = counter("warppool.switches");
  for (int i = 0; i < 60; ++i) {
    load_from(1, page(7));
    drain();
  }
  EXPECT_LE(counter("warppool.switches"), before + 1) << "hits: it stays";
}

TEST_F(Pool, LinesWithoutAPatternNeedTheMapTable) {
  set("sm.warppool.map_entries", "1");
  build();
  // Lanes 0 and 2 use words 3 and 1 of the line: no pattern.
  for (unsigned w = 0; w < 3; ++w) {
    warp_ = w;
    exec::MemoryAccess access;
    access.space = isa::Space::global;
    access.bytes = 4;
    access.lanes = 0x5;
    access.address[0] = page(w) + 12;
    access.address[2] = page(w) + 4;
    take(exec::OpKind::load, access);
  }
  drain();
  EXPECT_EQ(done_.size(), 3u);
  EXPECT_EQ(counter("warppool.irregular"), 3u);
  EXPECT_GT(counter("warppool.stall_map"), kAway) << "the entry comes free with the data";
}

TEST_F(Pool, StoresWhatTheChapterSays) {
  set("sm.l1.mshrs", "32");
  set("sm.l1.mshr_merges", "8");
  build();
  unit_->start_kernel(0, 1);
  EXPECT_EQ(counter("warppool.storage"), 8 * 5361u) << "Table 3.1: 5.23 KB";
}

TEST(Patterns, AreFoundByHand) {
  const auto pattern = [](LaneMask lanes, std::uint64_t base, std::int64_t stride, bool whole = false) {
    exec::MemoryAccess access;
    access.bytes = 4;
    access.lanes = lanes;
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      access.address[lane] = static_cast<std::uint64_t>(static_cast<std::int64_t>(base) + stride * lane);
    Lines lines;
    coalesce(access, lanes, 128, lines);
    find_patterns(access, 0, false, whole, lines);
    return lines[0].pattern;
  };
  EXPECT_EQ(pattern(kAllLanes, 0x1000, 4), Pattern::consecutive);
  EXPECT_EQ(pattern(0x0ff0, 0x1000, 4), Pattern::consecutive) << "of the active lanes";
  EXPECT_EQ(pattern(0x0ff0, 0x1000, 4, true), Pattern::range);
  EXPECT_EQ(pattern(kAllLanes, 0x1010, 0), Pattern::broadcast);
  EXPECT_EQ(pattern(kAllLanes, 0x1000, 128), Pattern::single);
  EXPECT_EQ(pattern(kAllLanes, 0x1040, 4), Pattern::range) << "half of the warp in each of two lines";
  EXPECT_EQ(pattern(kAllLanes, 0x1000, 8), Pattern::irregular);
  EXPECT_EQ(pattern(0x5, 0x1000, 4), Pattern::consecutive);
  EXPECT_EQ(pattern(0x5, 0x1010, 4), Pattern::irregular) << "the lanes are no run";
  EXPECT_EQ(pattern(kAllLanes, 0x107c, -4), Pattern::irregular) << "backwards";
}

TEST(MergeStudy, ALineMergesWithTheRequestThatOpenedItAndIsNotRenewed) {
  sim::StatisticGroup root("sm");
  MergeStudy study(root);
  const auto ask = [&](std::uint64_t line) {
    Lines lines;
    lines.push_back({.line = {line * 128}});
    study.add(lines, 0);
  };
  // One line in requests 0, 6 and 12, others between them.
  for (std::uint64_t i = 0; i < 13; ++i) ask(i % 6 == 0 ? 1000 : i);
  const auto counted = sim::totals(root);
  EXPECT_EQ(counted.at("sm.merge_study.requests"), 13u);
  EXPECT_EQ(counted.at("sm.merge_study.left_8"), 12u) << "the second merges, the third is 12 behind the first";
  EXPECT_EQ(counted.at("sm.merge_study.left_16"), 11u);
}

/// Loads and stores of many warps at random, as the SM would let them issue.
class RandomStream : public Pool, public testing::WithParamInterface<const char*> {};

TEST_P(RandomStream, LosesNothingAndKeepsTheOrderOfAWarpWithEveryQueueAtItsSmallest) {
  set("sm.coalescer", GetParam());
  for (const char* name :
       {"queues", "depth", "coalescers", "merge_queues", "tags", "slots", "map_entries", "write_back"})
    set(std::string("sm.warppool.") + name, "1");
  set("sm.mrpb.depth", "1");
  set("sm.l1.mshrs", "2");
  checker_ = std::make_unique<memory::LineChecker>();
  build();
  std::mt19937 generator(1);
  const auto random = [&] { return static_cast<unsigned>(generator()); };
  std::uint32_t count = 0;
  for (int i = 0; i < 20000; ++i) {
    const unsigned warp = random() % 48;
    const WarpSet bit = WarpSet{1} << warp;
    const bool writes = random() % 4 == 0;
    const bool refused =
        unit_->refuses_some() ? unit_->refuses(writes ? 0 : bit, writes ? bit : 0) != 0 : unit_->full();
    if (!refused) {
      warp_ = warp;
      const std::uint64_t base = page(random() % 2) + random() % 8 * 128;
      issue(writes ? exec::OpKind::store : exec::OpKind::load, base, random() % 3 * 64, random() | 1u);
      ++count;
    }
    step();
  }
  drain(200000);
  EXPECT_EQ(done_.size(), count);
  EXPECT_GT(count, 50u);
}
INSTANTIATE_TEST_SUITE_P(Of, RandomStream, testing::Values("warppool", "mrpb", "intra"),
                         [](const auto& of) { return std::string(of.param); });

TEST(OrderChecker, SeesAStoreThatOvertakesALoadAndNothingElse) {
  OrderChecker checker;
  const auto issue = [&](std::uint8_t warp, MemoryKind kind, std::uint32_t instruction, std::uint32_t sectors) {
    LineGroup group;
    group.warp = warp;
    group.kind = kind;
    group.lines.push_back({.line = {0x1000}, .sectors = sectors, .first = {instruction, 1}});
    checker.issued(group);
  };
  issue(4, MemoryKind::load, 1, 0x3);
  issue(4, MemoryKind::load, 2, 0x3);
  issue(4, MemoryKind::store, 3, 0x1);
  issue(4, MemoryKind::store, 4, 0x4);
  issue(5, MemoryKind::store, 5, 0x3);
  checker.taken({0x1000}, 5);  // another warp
  checker.taken({0x1000}, 2);  // loads may change places
  checker.taken({0x1000}, 4);  // other bytes
  EXPECT_THROW(checker.taken({0x1000}, 3), InvariantError);
  checker.taken({0x1000}, 1);
  EXPECT_NO_THROW(checker.taken({0x1000}, 3));
}

TEST(OrderChecker, LooksAtEachThreadOfCompactedWarps) {
  OrderChecker checker;
  const auto issue = [&](std::uint8_t home, MemoryKind kind, std::uint32_t instruction, LaneMask lanes) {
    LineGroup group;
    group.compacted = true;
    group.home.fill(home);
    group.kind = kind;
    group.lines.push_back({.line = {0x1000}, .sectors = 1, .first = {instruction, lanes}});
    checker.issued(group);
  };
  issue(7, MemoryKind::store, 1, 0x0f);
  issue(7, MemoryKind::load, 2, 0xf0);
  issue(6, MemoryKind::load, 3, 0x0f);
  issue(7, MemoryKind::load, 4, 0x18);
  checker.taken({0x1000}, 2);  // other threads of the warp
  checker.taken({0x1000}, 3);  // of another one
  EXPECT_THROW(checker.taken({0x1000}, 4), InvariantError);
  checker.taken({0x1000}, 1);
  EXPECT_NO_THROW(checker.taken({0x1000}, 4));
}

class Buffer : public Pool {
 protected:
  Buffer() { set("sm.coalescer", "mrpb"); }
};

TEST_F(Buffer, LowerWarpsGoFirstAndStoresWhenItIsEmpty) {
  set("sm.l1.mshrs", "1");
  build();
  load_from(40, page(0));
  step();
  const auto high = load_from(30, page(1));
  step();
  const auto low = load_from(3, page(2));
  warp_ = 2;
  const auto last = store(page(4));
  const auto after = load_from(1, page(5));
  drain();
  EXPECT_LT(done_[high], done_[low]) << "it was at the L1 already";
  EXPECT_LT(done_[low], done_[last]);
  EXPECT_LT(done_[low], done_[after]);
  EXPECT_GT(counter("mrpb.stall_flush"), 0u);
  EXPECT_EQ(counter("mrpb.requests"), 4u);
}

}  // namespace
}  // namespace heddle::core
