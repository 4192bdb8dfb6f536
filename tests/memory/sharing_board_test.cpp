// What parts of a GPU tell each other about applications.
#include "memory/sharing_board.h"

#include <gtest/gtest.h>

namespace heddle::memory {
namespace {

TEST(SharingBoard, ShowsWhatWasCountedAtTheEndOfAnEpochAndBeginsAnew) {
  SharingBoard board({.sms = 2, .slices = 1, .applications = 2}, 1000);
  board.use();
  board.uses_memory(0, 1, 3);
  board.uses_memory(0, 1, 3);
  board.uses_memory(0, 1, 5);
  board.uses_memory(1, 0, 63);
  board.publish(999, 3);
  EXPECT_EQ(board.epochs(), 0u);
  EXPECT_EQ(board.warps(1, 0), 0u);
  board.publish(1000, 3);
  EXPECT_EQ(board.epochs(), 1u);
  EXPECT_EQ(board.warps(1, 0), 2u);
  EXPECT_EQ(board.warps(0, 1), 1u);
  EXPECT_EQ(board.warps(0, 0), 0u);
  board.publish(2000, 3);
  EXPECT_EQ(board.warps(1, 0), 0u);
}

TEST(SharingBoard, CountsTheMostWalksAtOnceAndSaturatesAtSixBits) {
  SharingBoard board({.sms = 1, .slices = 1, .applications = 1}, 1000);
  board.use();
  for (int i = 0; i < 100; ++i) board.walk_begins(0);
  for (int i = 0; i < 99; ++i) board.walk_ends(0);
  board.stalled(0, 0, 2);
  board.stalled(0, 0, 4);
  board.publish(1000, 1);
  EXPECT_EQ(board.load(0), 63.0 * 3);
  // One is still under way; nothing was stalled.
  board.publish(2000, 1);
  EXPECT_EQ(board.load(0), 0.0);
}

TEST(SharingBoard, AddsHitRatesOfAllSlicesByLevel) {
  SharingBoard board({.sms = 1, .slices = 2, .applications = 1}, 1000);
  board.use();
  Request data;
  Request leaf;
  leaf.traffic = Traffic::walk;
  leaf.level = 1;
  Request code;
  code.traffic = Traffic::instruction;
  board.looked_up(0, data, true);
  board.looked_up(1, data, false);
  board.looked_up(1, leaf, false);
  board.looked_up(1, code, false);
  EXPECT_EQ(board.rates()[0].accesses, 0u) << "known with the next quantum";
  board.publish(8, 1);
  EXPECT_EQ(board.rates()[0].accesses, 2u);
  EXPECT_EQ(board.rates()[0].hits, 1u);
  EXPECT_EQ(board.rates()[1].accesses, 1u);
  EXPECT_TRUE(board.rates()[1].below(board.rates()[0]));
  board.publish(1000, 1);
  EXPECT_EQ(board.rates()[0].accesses, 0u);
}

}  // namespace
}  // namespace heddle::memory
