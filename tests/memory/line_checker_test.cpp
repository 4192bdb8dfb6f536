// The checker by itself: writes, what memory holds, and reads that got what they must not.
#include "memory/line_checker.h"

#include <gtest/gtest.h>

#include "base/diagnostics.h"

namespace heddle::memory {
namespace {

constexpr LineName kLine{VirtLine{0x1000}, 1};
constexpr PhysLine kFrame{0x5000};

class Checker : public testing::Test {
 protected:
  /// A write of the first unit by an SM, which the L2 takes at `now`.
  Version write(std::uint16_t sm, sim::Cycle now) {
    const std::uint32_t record = checker_.open(kLine, now);
    checker_.at(record).versions[0] = checker_.next(sm);
    checker_.wrote(checker_.at(record), 1, now);
    const Version version = checker_.at(record).versions[0];
    checker_.close(record);
    return version;
  }
  void read(Version version, sim::Cycle from, sim::Cycle until, std::uint16_t sm = 7) {
    checker_.read({kLine, 1, {version}, from, until, sm});
    checker_.judge();
  }
  Version load(PhysLine line = kFrame) {
    Versions versions{};
    checker_.load(line, 1, versions);
    return versions[0];
  }
  LineChecker checker_;
};

TEST_F(Checker, AReadMayGetWhatWasThereAtAnyTimeWhileItWasUnderWay) {
  const Version first = write(1, 100);
  const Version second = write(2, 200);
  read(0, 50, 90);
  read(first, 50, 120);
  read(first, 150, 300);
  read(second, 150, 300);
  EXPECT_EQ(checker_.judged(), 4u);
  EXPECT_THROW(read(0, 150, 300), InvariantError) << "the first write had replaced it";
}

TEST_F(Checker, AStaleReadNamesBothWrites) {
  const Version first = write(1, 100);
  write(2, 200);
  try {
    read(first, 250, 300);
    FAIL();
  } catch (const InvariantError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("stale data: in cycle 300 SM 7 read 0x1000 of address space 1"), std::string::npos) << text;
    EXPECT_NE(text.find("write 1 of SM 1"), std::string::npos) << text;
    EXPECT_NE(text.find("from cycle 250 on it must see write 1 of SM 2"), std::string::npos) << text;
  }
}

TEST_F(Checker, AnSmMaySeeItsOwnWriteBeforeTheL2Has) {
  const Version own = checker_.next(7);
  read(own, 0, 10);
  EXPECT_THROW(read(own, 0, 10, 8), InvariantError) << "another SM may not";
}

TEST_F(Checker, KnowsWhatEachFrameHolds) {
  checker_.give(5, 1, 1);
  checker_.give(6, 1, 2);
  read(load(), 0, 10);
  EXPECT_NE(load(), load({0x6000}));
  EXPECT_THROW(read(load({0x6000}), 0, 10), InvariantError) << "a wrong frame";
}

TEST_F(Checker, AFrameNobodyOwnsHoldsNothingOfAPage) {
  checker_.give(5, 1, 1);
  EXPECT_THROW(read(load({0x9000}), 0, 10), InvariantError);
}

TEST_F(Checker, AWriteBackThatIsLostLeavesAnOldVersionInMemory) {
  checker_.give(5, 1, 1);
  const Version first = write(1, 100);
  checker_.store(kFrame, 1, {first});
  read(load(), 150, 160);
  write(1, 200);
  EXPECT_THROW(read(load(), 250, 260), InvariantError);
}

TEST_F(Checker, APageTakesItsDataAlongWhenItMoves) {
  checker_.give(5, 1, 1);
  const Version version = write(1, 100);
  checker_.move(6, 1, 1);
  EXPECT_EQ(load({0x6000}), version);
  read(load({0x6000}), 150, 160);
}

TEST_F(Checker, WhatAnEarlierPageLeftInAFrameIsNobodysFault) {
  checker_.give(5, 2, 9);
  const std::uint32_t record = checker_.open({VirtLine{0x9000}, 2}, 10);
  checker_.at(record).versions[0] = checker_.next(3);
  checker_.wrote(checker_.at(record), 1, 10);
  checker_.give(5, 1, 1);
  read(checker_.at(record).versions[0], 20, 30);
  write(1, 40);
  EXPECT_THROW(read(checker_.at(record).versions[0], 50, 60), InvariantError) << "the page has been written since";
}

}  // namespace
}  // namespace heddle::memory
