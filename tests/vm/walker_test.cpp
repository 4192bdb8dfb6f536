// Walkers with a memory that answers after a fixed time: what they read, in what order, and when they are done.
#include "vm/walker.h"

#include <gtest/gtest.h>

#include <deque>

namespace heddle::test {
namespace {

using sim::Cycle;
using vm::VirtPage;

constexpr Cycle kLatency = 100;

class WalkerTest : public testing::Test, public vm::EntryReader {
 protected:
  struct Root : sim::ParameterGroup {
    vm::FrameParameters frames{*this, "frames", ""};
    vm::WalkerParameters walker{*this, "walker", ""};
  };
  struct Done {
    std::uint64_t token = 0;
    Cycle at = 0;
    bool fault = false;
  };

  void make(std::initializer_list<std::pair<const char*, const char*>> changes, bool lazy = false) {
    for (const auto& [path, value] : changes) root_.set_text(path, value);
    memory_ = std::make_unique<vm::PhysicalMemory>(root_.frames);
    space_ = std::make_unique<vm::AddressSpace>(*memory_, vm::AddressSpace::Options{0, vm::PageSize::small, lazy});
    walker_ =
        root_.walker.kind.make(statistics_.walker, "", vm::Walker::Setup{root_.walker, statistics_.walker, *this});
  }
  void add(VirtPage page, std::uint64_t token, Cycle now = 0) { walker_->add({space_.get(), page, token, now, now}); }
  bool can_read() const override { return true; }
  void read(const vm::EntryRead& entry) override {
    const std::uint64_t address = entry.address;
    const std::uint32_t id = entry.id;
    reads_.push_back(address);
    answers_.push_back({now_ + kLatency, id});
  }
  /// Runs until nothing happens any more, or to `until`.
  void run(Cycle until = 1000000) {
    for (; now_ < until; ++now_) {
      while (!answers_.empty() && answers_.front().first <= now_) {
        const std::uint32_t id = answers_.front().second;
        answers_.pop_front();
        walker_->answer(id, true, now_);
      }
      if (walker_->wakes_at() <= now_) walker_->tick(now_);
      for (const vm::WalkResult& result : walker_->finished()) done_.push_back({result.job.token, now_, result.fault});
      walker_->finished().clear();
      if (answers_.empty() && walker_->wakes_at() == sim::kNever) return;
    }
  }
  /// Walks page 1 of two, with a cache of lines that keeps leaves, too.
  void walk_with_leaf_cache() {
    make({{"walker.cache.kind", "physical"},
          {"walker.cache.leaf", "true"},
          {"walker.cache.lines.kib", "8"},
          {"walker.cache.lines.ways", "16"}});
    space_->add(0x1000, 0x2000);
    add({1}, 1);
    run();
  }
  /// Level of the table that an entry belongs to, for a page that was mapped.
  unsigned level_of(std::uint64_t address, VirtPage page) const {
    std::uint64_t table = space_->table().root();
    for (unsigned level = vm::kLevels; level > 0; --level) {
      const std::uint64_t at = memory_->entry_address(table, page, level);
      if (at == address) return level;
      table = vm::Entry{memory_->read(at)}.address();
    }
    return 0;
  }

  Root root_;
  struct Statistics : sim::StatisticGroup {
    Statistics() : StatisticGroup("test") {}
    vm::WalkerStatistics walker{*this, "walker"};
  } statistics_;
  std::unique_ptr<vm::PhysicalMemory> memory_;
  std::unique_ptr<vm::AddressSpace> space_;
  std::unique_ptr<vm::Walker> walker_;
  std::vector<std::uint64_t> reads_;
  std::deque<std::pair<Cycle, std::uint32_t>> answers_;
  std::vector<Done> done_;
  Cycle now_ = 0;
};

/// The pages of the worked example of Pichai et al., figure 3.5, as table indices.
VirtPage example(std::uint64_t pd, std::uint64_t pt) { return {((0xb9ull * 512 + 0x0c) * 512 + pd) * 512 + pt}; }

TEST_F(WalkerTest, AWalkTakesFourReadsOneAfterTheOther) {
  make({});
  space_->add(0x5000, 4096);
  add({5}, 1);
  run();
  ASSERT_EQ(done_.size(), 1u);
  EXPECT_EQ(reads_.size(), 4u);
  EXPECT_EQ(done_[0].at, 4 * kLatency);
  EXPECT_EQ(statistics_.walker.latency.value(), 4 * kLatency);
  EXPECT_EQ(statistics_.walker.latency_level4.value(), kLatency);
  EXPECT_EQ(statistics_.walker.latency_level1.value(), kLatency);
}

TEST_F(WalkerTest, ASerialWalkerTakesWalksOneAfterTheOther) {
  make({});
  for (const VirtPage page : {example(0xac, 3), example(0xac, 4), example(0xad, 5)}) space_->add(page.address(), 4096);
  add(example(0xac, 3), 1);
  add(example(0xac, 4), 2);
  add(example(0xad, 5), 3);
  run();
  EXPECT_EQ(reads_.size(), 12u);
  ASSERT_EQ(done_.size(), 3u);
  EXPECT_EQ(done_[2].at, 12 * kLatency);
  EXPECT_EQ(statistics_.walker.most_queued.value(), 2u);
}

TEST_F(WalkerTest, AThreadedWalkerTakesThemSideBySide) {
  make({{"walker.walks", "2"}});
  for (const std::uint64_t page : {1, 2, 3}) space_->add(page << 12, 4096);
  for (const std::uint64_t page : {1, 2, 3}) add({page}, page);
  run();
  ASSERT_EQ(done_.size(), 3u);
  EXPECT_EQ(done_[1].at, 4 * kLatency);
  EXPECT_EQ(done_[2].at, 8 * kLatency);
  EXPECT_EQ(statistics_.walker.most_active.value(), 2u);
  EXPECT_EQ(statistics_.walker.active.value(), 3 * 4 * kLatency);
}

TEST_F(WalkerTest, SoftwareTakesOneMissAfterTheOtherWithTheTimeOfAHandler) {
  make({{"walker.kind", "software"},
        {"walker.software.enter", "1000"},
        {"walker.software.step", "20"},
        {"walker.software.leave", "500"},
        {"walker.walks", "8"}});
  for (const std::uint64_t page : {1, 2}) space_->add(page << 12, 4096);
  for (const std::uint64_t page : {1, 2}) add({page}, page);
  run();
  ASSERT_EQ(done_.size(), 2u);
  constexpr Cycle kOne = 1000 + 4 * kLatency + 3 * 20 + 500;
  EXPECT_EQ(done_[0].at, kOne);
  EXPECT_EQ(done_[1].at, 2 * kOne + 1)
      << "one at a time, however many walks there might be; the next begins a cycle later";
  EXPECT_EQ(reads_.size(), 8u);
}

TEST_F(WalkerTest, TheScheduledWalkerReadsSevenEntriesInsteadOfTwelveInTheOrderOfFigure35) {
  make({{"walker.kind", "scheduled"}});
  const VirtPage a = example(0xac, 3);
  const VirtPage b = example(0xac, 4);
  const VirtPage c = example(0xad, 5);
  for (const VirtPage page : {a, b, c}) space_->add(page.address(), 4096);
  add(a, 1);
  add(b, 2);
  add(c, 3);
  run();
  ASSERT_EQ(reads_.size(), 7u);
  EXPECT_EQ(statistics_.walker.reads_saved.value(), 5u);
  EXPECT_EQ(level_of(reads_[0], a), 4u);
  EXPECT_EQ(level_of(reads_[1], a), 3u);
  EXPECT_EQ(level_of(reads_[2], a), 2u);  // 0xac, for two walks
  EXPECT_EQ(level_of(reads_[3], c), 2u);  // 0xad, on the same line
  EXPECT_EQ(reads_[2] / 128, reads_[3] / 128);
  EXPECT_EQ(level_of(reads_[4], a), 1u);
  EXPECT_EQ(level_of(reads_[5], b), 1u);  // beside it
  EXPECT_EQ(reads_[4] / 128, reads_[5] / 128);
  EXPECT_EQ(level_of(reads_[6], c), 1u);
  ASSERT_EQ(done_.size(), 3u);
  // Reads of a level leave one per cycle; the next level begins when all are back.
  EXPECT_EQ(done_[2].at, (kLatency) + (kLatency) + (kLatency + 1) + (kLatency + 2));
}

TEST_F(WalkerTest, ReadsOfOneLineFollowEachOtherWhateverTheOrderOfTheMisses) {
  make({{"walker.kind", "scheduled"}});
  const VirtPage pages[] = {example(0xac, 3), example(0xad, 5), example(0xac, 4)};
  std::uint64_t token = 0;
  for (const VirtPage page : pages) {
    space_->add(page.address(), 4096);
    add(page, token++);
  }
  run();
  ASSERT_EQ(reads_.size(), 7u);
  EXPECT_EQ(reads_[4] / 128, reads_[5] / 128);
  EXPECT_NE(reads_[5] / 128, reads_[6] / 128);
}

class Comparators : public WalkerTest {
 protected:
  /// Reads saved with four pages whose entries of level 2 are on three lines; the second and the fourth have the same
  /// entry.
  std::uint64_t saved_with(const char* comparators) {
    make({{"walker.kind", "scheduled"}, {"walker.scheduled.comparators", comparators}});
    const VirtPage pages[] = {example(0, 0), example(16, 0), example(32, 0), example(16, 1)};
    std::uint64_t token = 0;
    for (const VirtPage page : pages) {
      space_->add(page.address(), 4096);
      add(page, token++);
    }
    run();
    EXPECT_EQ(done_.size(), 4u);
    return statistics_.walker.reads_saved.value();
  }
};

TEST_F(Comparators, OfAllPairsFindEverythingThatIsReadTwice) { EXPECT_EQ(saved_with("pairs"), 3u + 3u + 1u); }

TEST_F(Comparators, InATreeMissWhatItsHalvesDoNotStandFor) { EXPECT_EQ(saved_with("tree"), 3u + 3u); }

TEST_F(WalkerTest, APageWalkCacheSparesTheUpperLevelsOfTheSecondWalk) {
  make({{"walker.cache.kind", "physical"},
        {"walker.cache.latency", "8"},
        {"walker.cache.lines.kib", "8"},
        {"walker.cache.lines.ways", "16"}});
  space_->add(0x1000, 0x2000);
  add({1}, 1);
  run();
  EXPECT_EQ(done_.back().at, 3 * (8 + kLatency) + kLatency);  // the leaf is not looked for
  const Cycle begin = now_ + 10;
  now_ = begin;
  add({2}, 2, begin);
  run();
  EXPECT_EQ(done_.back().at - begin, 3 * 8 + kLatency);
  EXPECT_EQ(statistics_.walker.cache_hits.value(), 3u);
  EXPECT_EQ(reads_.size(), 5u);
}

TEST_F(WalkerTest, ACacheThatKeepsLeavesSparesTheNeighboursLeaf) {
  walk_with_leaf_cache();
  add({2}, 2, now_);
  run();
  EXPECT_EQ(reads_.size(), 4u);
}

TEST_F(WalkerTest, ACacheOfLinesReadsAgainWhatTheHostHasWritten) {
  walk_with_leaf_cache();
  (void)memory_->take_written();
  space_->touch({1}, true);  // walkers set these bits themselves
  EXPECT_TRUE(memory_->take_written().empty());
  space_->protect(0x2000, 0x1000, false);
  const std::vector<std::uint64_t> written = memory_->take_written();
  ASSERT_EQ(written, std::vector<std::uint64_t>{reads_.back() + 8});
  walker_->cache().invalidate(written[0]);
  add({2}, 2, now_);
  run();
  EXPECT_EQ(reads_.size(), 5u);  // the leaf's line again, the upper levels not
}

TEST_F(WalkerTest, ATranslationCacheFindsTheDeepestTableInOneAccess) {
  make({{"walker.cache.kind", "translation"}, {"walker.cache.latency", "8"}});
  space_->add(0x1000, 0x2000);
  space_->add(std::uint64_t{1} << 30, 0x1000);
  add({1}, 1);
  run();
  const Cycle begin = now_;
  add({2}, 2, begin);
  run();
  EXPECT_EQ(done_.back().at - begin, 8 + kLatency);
  const Cycle far = now_;
  add({1 << 18}, 3, far);  // shares the root's entry only
  run();
  EXPECT_EQ(done_.back().at - far, 8 + 3 * kLatency);
}

TEST_F(WalkerTest, AFullTranslationCacheForgetsTheLeastRecentlyUsed) {
  make({{"walker.cache.kind", "translation"}, {"walker.cache.entries", "3"}});
  space_->add(0x1000, 0x1000);
  space_->add(std::uint64_t{1} << 30, 0x1000);
  add({1}, 1);
  run();
  add({1 << 18}, 2, now_);  // two new tables push two of the first walk out
  run();
  const std::size_t before = reads_.size();
  add({1}, 3, now_);
  run();
  EXPECT_EQ(reads_.size() - before, 3u);
}

TEST_F(WalkerTest, AWalkThatAFlushOvertookIsDoneAgain) {
  make({});
  space_->add(0x1000, 4096);
  add({1}, 1);
  run(kLatency + 10);
  const vm::PhysFrame old = *space_->frame({1});
  space_->migrate({1});
  EXPECT_NE(*space_->frame({1}), old);
  walker_->flush();
  run();
  ASSERT_EQ(done_.size(), 1u);
  EXPECT_EQ(statistics_.walker.restarted.value(), 1u);
  EXPECT_EQ(done_[0].at, 6 * kLatency);  // the read under way ends, then four more
}

TEST_F(WalkerTest, AMissingEntryIsAFault) {
  make({}, true);
  space_->add(0x1000, 4096);
  add({1}, 1);
  run();
  ASSERT_EQ(done_.size(), 1u);
  EXPECT_TRUE(done_[0].fault);
  space_->serve({1});
  add({1}, 1, now_);
  run();
  EXPECT_FALSE(done_[1].fault);
}

}  // namespace
}  // namespace heddle::test
