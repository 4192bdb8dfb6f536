// The load/store unit by itself.
#include "unit_bench.h"

namespace heddle::core {
namespace {

TEST_F(Unit, AHitTakesTheLatencyOfTheL1AndAMissTheWayToMemory) {
  build();
  const auto miss = load(page(0));
  drain();
  EXPECT_EQ(done_[miss], 1 + kAway);
  const Cycle then = now_;
  const auto hit = load(page(0));
  drain();
  EXPECT_EQ(done_[hit], then + 10);
}

TEST_F(Unit, TakesAnInstructionEveryAddressIntervalAndNotFaster) {
  set("sm.address_interval", "4");
  build();
  load(page(0));
  drain();
  const Cycle begin = now_;
  std::vector<std::uint32_t> hits;
  for (int i = 0; i < 8; ++i) hits.push_back(load(page(0)));
  drain();
  for (std::size_t i = 0; i < hits.size(); ++i) EXPECT_EQ(done_[hits[i]], begin + 4 * i + 10);
}

TEST_F(Unit, ALineThatServesSeveralInstructionsWakesThemAll) {
  build();
  const auto first = load(page(0));
  const auto second = load(page(0));
  drain();
  EXPECT_EQ(done_[first], done_[second]);
  EXPECT_EQ(statistics_.l1_merged.value(), 1u);
}

TEST_F(Unit, AStoreIsDoneWhenItsLastLineIsAcknowledged) {
  build();
  const auto wide = issue(exec::OpKind::store, page(0), 128);
  drain();
  EXPECT_EQ(done_[wide], 1 + 31 + kAway);
}

/// Takes two instructions and makes one group of their first lines, which must be the same.
class Pairing final : public Coalescer {
 public:
  explicit Pairing(const Setup& setup) : setup_(setup) {}
  [[nodiscard]] bool can_take() const override { return group_ == kNone; }
  void add(std::uint32_t group) override {
    if (waiting_ == kNone) {
      waiting_ = group;
      return;
    }
    LineRequest& line = setup_.groups.at(waiting_).lines[0];
    line.others = setup_.served.take();
    setup_.served.add(line.others, line.first);
    setup_.served.add(line.others, setup_.groups.at(group).lines[0].first);
    setup_.groups.release(group);
    group_ = waiting_;
    waiting_ = kNone;
  }
  [[nodiscard]] std::uint32_t next(Cycle /*now*/) override { return group_; }
  void left() override { group_ = kNone; }
  [[nodiscard]] unsigned places() const override { return (group_ != kNone ? 1 : 0) + (waiting_ != kNone ? 1 : 0); }
  [[nodiscard]] bool empty() const override { return group_ == kNone && waiting_ == kNone; }

 private:
  Setup setup_;
  std::uint32_t waiting_ = kNone;
  std::uint32_t group_ = kNone;
};
[[maybe_unused]] const bool kPairing = CoalescerRegistry::instance().add<Pairing>("test-pairing", "Two in one.");

TEST_F(Unit, OneLineRequestServesTheInstructionsThatItsCoalescerNames) {
  set("sm.coalescer", "test-pairing");
  build();
  const auto first = load(page(0), 0x1);
  const auto second = load(page(0), 0x1);
  drain();
  ASSERT_EQ(done_.size(), 2u);
  EXPECT_EQ(done_[first], done_[second]);
  EXPECT_EQ(statistics_.l1_reads.value(), 1u) << "the L1 was asked once";
  const auto third = load(page(0), 0x1);
  for (int i = 0; i < 50; ++i) step();
  EXPECT_FALSE(done_.contains(third)) << "it waits for its other half";
}

/// Remembers what came through the register port.
class Listening final : public OperandStorage {
 public:
  explicit Listening(const Setup& /*setup*/) {}
  [[nodiscard]] bool fits(unsigned /*registers*/, unsigned /*warps*/) const override { return true; }
  void block_started(unsigned /*registers*/, unsigned /*warps*/) override {}
  void block_ended(unsigned /*registers*/, unsigned /*warps*/) override {}
  [[nodiscard]] Cycle dispatch(unsigned /*warp*/, const TimedOp& /*op*/, Cycle pipe, Cycle /*now*/) override {
    return pipe;
  }
  void loaded(std::uint32_t tag, Cycle now) override { came[tag] = now; }
  static inline std::map<std::uint32_t, Cycle> came;
};
[[maybe_unused]] const bool kListening =
    OperandStorageRegistry::instance().add<Listening>("test-listening", "Remembers.");

TEST_F(Unit, RegistersThatLieInMemoryComeThroughTheL1AndAreNamedByTheirTag) {
  set("sm.operands", "test-listening");
  build();
  Listening::came.clear();
  const RegisterLine line{memory::PhysLine{0x4000}, 0xf, 0};
  const Cycle begin = now_;
  ASSERT_EQ(unit_->load(line, 17, now_), RegisterLoad::asked);
  for (Cycle i = 0; i < kAway + 5; ++i) step();
  EXPECT_EQ(Listening::came, (std::map<std::uint32_t, Cycle>{{17, begin + kAway}}));
  const Cycle again = now_;
  ASSERT_EQ(unit_->load(line, 18, now_), RegisterLoad::here);
  ASSERT_FALSE(unit_->store(line, now_)) << "the L1 takes one line a cycle";
  step();
  ASSERT_TRUE(unit_->store(line, now_)) << "whatever it does with stores of data, those of registers stay";
  for (int i = 0; i < 20; ++i) step();
  EXPECT_EQ(Listening::came[18], again + 10) << "a hit";
  EXPECT_EQ(statistics_.l1_writes.value(), 1u);
}

TEST_F(Unit, ALineOfDataGoesACycleLaterIfRegistersHaveTheL1First) {
  set("sm.operands", "test-listening");
  build();
  const RegisterLine line{memory::PhysLine{0x4000}, 0xf, 0};
  load(page(0));
  ASSERT_EQ(unit_->load(line, 17, now_), RegisterLoad::asked);
  drain();
  ASSERT_EQ(statistics_.stall_registers.value(), 1u) << "both came in one cycle";
  const Cycle begin = now_;
  const auto data = load(page(0));
  ASSERT_EQ(unit_->load(line, 18, now_), RegisterLoad::here);
  step();
  ASSERT_EQ(unit_->load(line, 19, now_), RegisterLoad::here);
  drain();
  EXPECT_EQ(done_[data], begin + 2 + 10) << "two cycles belong to registers";
  EXPECT_EQ(Listening::came[18], begin + 10);
  EXPECT_EQ(Listening::came[19], begin + 1 + 10);
  EXPECT_EQ(statistics_.stall_registers.value(), 3u);
}

TEST_F(Unit, AnL1WithTwoPortsTakesALineOfDataBesideARegister) {
  set("sm.operands", "test-listening");
  set("sm.l1.ports", "2");
  build();
  const RegisterLine line{memory::PhysLine{0x4000}, 0xf, 0};
  load(page(0));
  ASSERT_EQ(unit_->load(line, 17, now_), RegisterLoad::asked);
  drain();
  const Cycle begin = now_;
  const auto both = issue(exec::OpKind::load, page(0), 0);
  const auto two = issue(exec::OpKind::load, page(0), 128, 0x3);
  ASSERT_EQ(unit_->load(line, 18, now_), RegisterLoad::here);
  step();
  drain();
  EXPECT_EQ(done_[both], begin + 10);
  EXPECT_EQ(statistics_.stall_registers.value(), 0u);
  EXPECT_GT(done_[two], begin + 10);
}

TEST_F(Unit, LinesGoAsFastAsTheBanksOfTheirWords) {
  set("sm.l1.ports", "4");
  set("sm.l1.data_banks", "32");
  build();
  const auto takes = [&](std::uint64_t stride) {
    issue(exec::OpKind::load, page(0), stride);  // brings the lines
    drain();
    const Cycle begin = now_;
    const auto again = issue(exec::OpKind::load, page(0), stride);
    drain();
    return done_[again] - begin;
  };
  const Cycle line = takes(4);
  EXPECT_EQ(takes(128 + 4), line + 7) << "32 lines, each word in a bank of its own: four lines a cycle";
  EXPECT_EQ(takes(128), line + 31) << "all words in one bank";
  EXPECT_EQ(takes(64), line + 15) << "16 lines, in two banks";
  EXPECT_EQ(takes(128 + 64), line + 15) << "32 lines, in two banks: two a cycle";
}

class Translated : public Unit {
 protected:
  Translated() {
    set("sm.mmu.kind", "tlb");
    set("sm.mmu.by_page", "true");
    set("vm.check", "true");
  }
  void warm(std::uint64_t pages) {
    for (std::uint64_t p = 0; p < pages; ++p) {
      load(page(p));
      drain();
    }
  }
  const MmuStatistics& mmu() const {
    for (const sim::StatisticGroup* group : statistics_.groups()) {
      if (const auto* found = dynamic_cast<const MmuStatistics*>(group)) return *found;
    }
    throw std::logic_error("there is no translation unit");
  }
};

TEST_F(Translated, HitsOfTheTlbFollowEachOtherEveryCycle) {
  for (const char* latency : {"0", "1", "5"}) {
    set("sm.mmu.tlb.latency", latency);
    build();
    warm(1);
    const Cycle begin = now_;
    std::vector<std::uint32_t> hits;
    for (int i = 0; i < 6; ++i) hits.push_back(load(page(0)));
    drain();
    for (std::size_t i = 0; i < hits.size(); ++i)
      EXPECT_EQ(done_[hits[i]], begin + i + static_cast<Cycle>(std::stoi(latency)) + 10) << latency;
  }
}

TEST_F(Translated, LinesGoToTheL1AfterRegistersThatHaveItFirst) {
  set("sm.operands", "test-listening");
  set("sm.mmu.tlb.latency", "0");
  build();
  warm(1);
  const RegisterLine line{memory::PhysLine{0x4000}, 0xf, 0};
  const Cycle begin = now_;
  const auto data = load(page(0));
  for (std::uint32_t tag = 0; tag < 3; ++tag) {
    ASSERT_NE(unit_->load(line, tag, now_), RegisterLoad::refused);
    step();
  }
  drain();
  EXPECT_EQ(done_[data], begin + 3 + 10);
  EXPECT_EQ(statistics_.stall_registers.value(), 3u);
}

TEST_F(Translated, OneInstructionMayWaitForTranslationsIfOnlyOneMay) {
  set("sm.mmu.waiting", "1");
  build();
  for (std::uint64_t p = 0; p < 4; ++p) load(page(p));
  drain();
  EXPECT_EQ(done_.size(), 4u);
}

TEST_F(Translated, WhatIsHeldBackIsBounded) {
  set("sm.mmu.policy", "blocking");
  set("sm.mmu.waiting", "4");
  build();
  for (std::uint64_t p = 0; p < 40; ++p) load(page(p));
  for (int i = 0; i < 60; ++i) step();
  // One is walked for and three are held back; the others are still in the queue.
  EXPECT_EQ(unit_->queued(), 36u);
  drain();
  EXPECT_EQ(done_.size(), 40u);
}

TEST_F(Translated, AnInstructionWithoutAMissEntryDoesNotHoldUpOthersThatHit) {
  set("sm.mmu.mshrs", "1");
  build();
  warm(1);
  // Two pages in one instruction and one entry: it comes back from the first walk and waits for the entry of others.
  const auto two = issue(exec::OpKind::load, page(10), vm::kPageBytes, 0x7);
  for (int i = 0; i < 3; ++i) step();
  const auto hit = load(page(0));
  drain();
  EXPECT_LT(done_[hit] + kAway, done_[two]);
}

TEST_F(Translated, OneThatComesBackAndFindsNoMissEntryDoesNotHoldUpOthersThatHit) {
  set("sm.mmu.policy", "hit-under-miss");
  set("sm.mmu.by_page", "false");
  set("sm.mmu.mshrs", "1");
  build();
  warm(1);
  const auto first = load(page(20));
  // Held back until the walk of the first ends; then one of its two pages gets the only entry.
  const auto two = issue(exec::OpKind::load, page(10), vm::kPageBytes, 0x3);
  while (done_.count(first) == 0) step();
  const Cycle begin = now_;
  const auto hit = load(page(0));
  drain();
  EXPECT_LT(done_[hit], begin + kAway);
  EXPECT_GT(done_[two], begin + 2 * kAway);
}

TEST_F(Translated, AStoreWhosePageMissedLeavesItDirty) {
  build();
  const auto wrote = [&](std::uint64_t p) {
    bool found = false;
    for (const auto& touch : unit_->translation()->touches())
      found |= touch.write && touch.page == vm::page_of(page(p));
    return found;
  };
  store(page(3));
  drain();
  EXPECT_TRUE(wrote(3));
  load(page(4));
  drain();
  EXPECT_FALSE(wrote(4));
  store(page(4));
  drain();
  EXPECT_TRUE(wrote(4));
}

TEST_F(Translated, TheLatencyOfMissesIsCountedForEachMiss) {
  set("sm.mmu.by_page", "false");
  build();
  // Four lines of one page: one walk that four lookups wait for, each a cycle less than the one before.
  issue(exec::OpKind::load, page(0), 128, 0xf);
  drain();
  ASSERT_EQ(mmu().misses.value(), 4u);
  ASSERT_EQ(mmu().merged.value(), 3u);
  const double average = static_cast<double>(mmu().miss_latency.value()) / 4;
  EXPECT_NEAR(average, 4 * (kAway + 1), 6);
}

}  // namespace
}  // namespace heddle::core
