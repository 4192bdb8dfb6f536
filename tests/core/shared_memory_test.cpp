// What an access to shared memory costs, lane addresses given by hand.
#include "core/shared_memory.h"

#include <gtest/gtest.h>

#include <functional>

namespace heddle::core {
namespace {

using Use = SharedMemory::Use;

class SharedCosts : public testing::Test {
 protected:
  SharedCosts() {
    for (const auto& [name, value] :
         std::initializer_list<std::pair<const char*, const char*>>{{"way_latency", "3"},
                                                                    {"swap_passes", "2"},
                                                                    {"loop.first", "50"},
                                                                    {"loop.round", "100"},
                                                                    {"loop.hold", "40"},
                                                                    {"loop.first_passes", "3"},
                                                                    {"loop.passes", "2"},
                                                                    {"loop.wide_first", "60"},
                                                                    {"loop.wide_round", "120"},
                                                                    {"loop.wide_hold", "70"}})
      p_.set_text(name, value);
  }

  Use use(const isa::Instruction& instruction, unsigned bytes, const std::function<unsigned(unsigned)>& address,
          unsigned block = 0, sim::Cycle now = 1000) {
    exec::MemoryAccess access;
    access.bytes = static_cast<std::uint8_t>(bytes);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) access.address[lane] = address(lane);
    return memory_.use(instruction, access, kAllLanes, block, now);
  }
  static isa::Instruction load(isa::Type type) {
    isa::Instruction i;
    i.op = isa::Opcode::ld;
    i.type = type;
    return i;
  }
  static isa::Instruction atomic(isa::Type type, isa::Atomic operation) {
    isa::Instruction i;
    i.op = isa::Opcode::atom;
    i.type = type;
    i.atomic = operation;
    return i;
  }

  SharedMemoryParameters p_;
  SharedMemory memory_{p_, 32};
};

TEST_F(SharedCosts, AWayOfAConflictTakesACycleAndAddsItsLatency) {
  for (const unsigned ways : {1u, 2u, 4u, 8u, 16u, 32u}) {
    const Use u = use(load(isa::Type::u32), 4, [&](unsigned lane) { return lane * ways * 4; });
    EXPECT_EQ(u.busy, ways);
    EXPECT_EQ(u.conflicts, ways - 1);
    EXPECT_EQ(u.later, (ways - 1) * p_.way_latency) << ways << " ways";
    EXPECT_EQ(u.not_before, 0u);
  }
  const Use one_word = use(load(isa::Type::u32), 4, [](unsigned) { return 64; });
  EXPECT_EQ(one_word.busy, 1u);
  EXPECT_EQ(one_word.later, 0u);
}

TEST_F(SharedCosts, AWideAccessTakesItsGroupsOneByOneWithoutAConflict) {
  const Use eight = use(load(isa::Type::u64), 8, [](unsigned lane) { return lane * 8; });
  EXPECT_EQ(eight.busy, 2u);
  EXPECT_EQ(eight.later, 1u);
  // Every second row of 128 bytes: in each half all sixteen lanes meet in two banks.
  const Use conflicts = use(load(isa::Type::u64), 8, [](unsigned lane) { return lane * 128; });
  EXPECT_EQ(conflicts.busy, 32u);
  EXPECT_EQ(conflicts.later, 1u + 30u * p_.way_latency);
}

TEST_F(SharedCosts, LanesThatMeetInAWordChangeItOneByOne) {
  const isa::Instruction add = atomic(isa::Type::u32, isa::Atomic::add);
  EXPECT_EQ(use(add, 4, [](unsigned lane) { return lane * 4; }).busy, 1u);
  EXPECT_EQ(use(add, 4, [](unsigned lane) { return lane % 8 * 4; }).busy, 4u);
  EXPECT_EQ(use(add, 4, [](unsigned) { return 0; }).busy, 32u);
  EXPECT_EQ(use(atomic(isa::Type::b32, isa::Atomic::cas), 4, [](unsigned) { return 0; }).busy, 32u * p_.swap_passes);
  EXPECT_EQ(use(load(isa::Type::u32), 4, [](unsigned lane) { return lane * 128; }).busy, 32u) << "loads do not swap";
}

TEST_F(SharedCosts, ALoopTakesARoundForEachLaneOfAWord) {
  const isa::Instruction add = atomic(isa::Type::f32, isa::Atomic::add);
  for (const unsigned same : {1u, 2u, 8u, 32u}) {
    const Use u = use(
        add, 4, [&](unsigned lane) { return lane / same * 4; }, same);
    EXPECT_EQ(u.later, p_.loop.first + (same - 1) * p_.loop.round) << same << " lanes on a word";
    EXPECT_EQ(u.busy, p_.loop.first_passes + (same - 1) * p_.loop.passes);
  }
  const Use wide = use(
      atomic(isa::Type::u64, isa::Atomic::add), 8, [](unsigned lane) { return lane / 4 * 8; }, 3);
  EXPECT_EQ(wide.later, p_.loop.wide_first + 3 * p_.loop.wide_round);
}

TEST_F(SharedCosts, LanesOfDifferentWordsInABankTakeRoundsToo) {
  const Use u = use(atomic(isa::Type::f32, isa::Atomic::add), 4, [](unsigned lane) { return lane * 16; });
  EXPECT_EQ(u.later, p_.loop.first + 3 * p_.loop.round);
}

TEST_F(SharedCosts, HardwareHasTheseOperationsWithoutALoop) {
  const auto later = [&](isa::Type type, isa::Atomic operation, unsigned bytes) {
    return use(atomic(type, operation), bytes, [](unsigned lane) { return lane * 8; }).later;
  };
  EXPECT_LT(later(isa::Type::u32, isa::Atomic::add, 4), p_.loop.first);
  EXPECT_LT(later(isa::Type::b64, isa::Atomic::exch, 8), p_.loop.first);
  EXPECT_LT(later(isa::Type::b64, isa::Atomic::cas, 8), p_.loop.first * 2);
  EXPECT_GE(later(isa::Type::u64, isa::Atomic::max, 8), p_.loop.wide_first);
  EXPECT_GE(later(isa::Type::f32, isa::Atomic::add, 4), p_.loop.first);
}

TEST_F(SharedCosts, AWordThatWarpsOfABlockChangeIsHeldByEachLane) {
  const isa::Instruction add = atomic(isa::Type::f32, isa::Atomic::add);
  const auto one_word = [](unsigned) { return 256; };
  EXPECT_EQ(use(add, 4, one_word).not_before, 1000 + 32 * p_.loop.hold);
  EXPECT_EQ(use(add, 4, one_word).not_before, 1000 + 64 * p_.loop.hold) << "after the first warp";
  EXPECT_EQ(use(add, 4, one_word, 1).not_before, 1000 + 32 * p_.loop.hold) << "the word of another block";
  EXPECT_EQ(use(add, 4, [](unsigned) { return 512; }).not_before, 1000 + 32 * p_.loop.hold) << "another word";
  EXPECT_EQ(use(add, 4, one_word, 0, 100'000).not_before, 100'000 + 32 * p_.loop.hold) << "much later it is free";
}

TEST_F(SharedCosts, WithoutRoundsThereIsNoLoop) {
  p_.set_text("loop.round", "0");
  const Use u = use(atomic(isa::Type::f32, isa::Atomic::add), 4, [](unsigned) { return 0; });
  EXPECT_EQ(u.busy, 32u);
  EXPECT_EQ(u.not_before, 0u);
}

}  // namespace
}  // namespace heddle::core
