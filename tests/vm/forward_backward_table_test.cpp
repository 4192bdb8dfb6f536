// The forward-backward table by itself: both sides say the same, and who goes first.
#include "vm/forward_backward_table.h"

#include <gtest/gtest.h>

namespace heddle::vm {
namespace {

constexpr std::uint32_t kNone = ForwardBackwardTable::kNone;

std::uint32_t add(ForwardBackwardTable& table, std::uint64_t frame, std::uint64_t page, SpaceId space = 0) {
  const auto room = table.room_for({frame}, space, {page});
  EXPECT_NE(room.place, kNone);
  table.add(room.place, {frame}, space, {page}, true);
  return room.place;
}

TEST(AForwardBackwardTable, IsFoundByFrameAndByLeadingPageOfItsSpace) {
  ForwardBackwardTable table(16, 4);
  const std::uint32_t entry = add(table, 5, 77, 3);
  EXPECT_EQ(table.find(PhysFrame{5}), entry);
  EXPECT_EQ(table.find(3, VirtPage{77}), entry);
  EXPECT_EQ(table.find(2, VirtPage{77}), kNone) << "the same page of another space";
  EXPECT_EQ(table.find(PhysFrame{6}), kNone);
  table.remove(entry);
  EXPECT_EQ(table.find(PhysFrame{5}), kNone);
  EXPECT_EQ(table.find(3, VirtPage{77}), kNone);
}

TEST(AForwardBackwardTable, TellsEqualPagesOfSpacesApartWithinASet) {
  ForwardBackwardTable table(4, 4);  // one set, so that nothing but the entries says whose they are
  const std::uint32_t first = add(table, 5, 77, 0);
  EXPECT_EQ(table.find(1, VirtPage{77}), kNone);
  const std::uint32_t second = add(table, 6, 77, 1);
  EXPECT_EQ(table.find(0, VirtPage{77}), first);
  EXPECT_EQ(table.find(1, VirtPage{77}), second);
  table.remove(first);
  EXPECT_EQ(table.find(0, VirtPage{77}), kNone);
  EXPECT_EQ(table.find(1, VirtPage{77}), second);
}

TEST(AForwardBackwardTable, LetsEntriesWithoutLinesGoFirstAndThenTheOldest) {
  ForwardBackwardTable table(2, 2);
  const std::uint32_t first = add(table, 1, 1);
  const std::uint32_t second = add(table, 2, 2);
  table.at(first).lines = 1;
  table.at(second).lines = 1;
  EXPECT_EQ(table.room_for({3}, 0, {3}).backward, first);
  table.touch(first);
  EXPECT_EQ(table.room_for({3}, 0, {3}).backward, second);
  table.at(first).lines = 0;
  EXPECT_EQ(table.room_for({3}, 0, {3}).backward, first);
}

TEST(AForwardBackwardTable, KeepsEntriesThatSomethingIsUnderWayFor) {
  ForwardBackwardTable table(2, 2);
  const std::uint32_t first = add(table, 1, 1);
  const std::uint32_t second = add(table, 2, 2);
  table.at(first).fetches = 1;
  EXPECT_EQ(table.room_for({3}, 0, {3}).backward, second);
  table.at(second).replays = 1;
  const auto room = table.room_for({3}, 0, {3});
  EXPECT_EQ(room.place, kNone);
  EXPECT_EQ(room.backward, kNone);
  EXPECT_EQ(room.forward, kNone);
}

TEST(AForwardBackwardTable, NeedsAPlaceOnBothSides) {
  // Sets of one: frames 0 and 1 lie in different sets, pages 0 and 2 in one.
  ForwardBackwardTable table(2, 1);
  const std::uint32_t entry = add(table, 0, 0);
  const auto room = table.room_for({1}, 0, {2});
  EXPECT_EQ(room.place, kNone);
  EXPECT_EQ(room.backward, kNone) << "there is room for the frame";
  EXPECT_EQ(room.forward, entry);
}

}  // namespace
}  // namespace heddle::vm
