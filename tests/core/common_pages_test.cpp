// The common page matrix, lookup by lookup.
#include <gtest/gtest.h>

#include "core/divergence/common_pages.h"

namespace heddle::core {
namespace {

constexpr std::uint64_t bits(std::initializer_list<unsigned> warps) {
  std::uint64_t set = 0;
  for (const unsigned w : warps) set |= std::uint64_t{1} << w;
  return set;
}

TEST(CommonPages, CountAHitTowardsTheLastTwoWarpsThatUsedTheEntry) {
  CommonPages pages({.bits = 1});
  pages.looked_up(9, false, bits({1}), 0);
  pages.looked_up(9, true, bits({2}), 1);
  EXPECT_TRUE(pages.saturated(2, 1, 1));
  EXPECT_FALSE(pages.saturated(1, 2, 1)) << "only the row of the warp that hits";
  pages.looked_up(9, true, bits({3}), 2);
  EXPECT_TRUE(pages.saturated(3, 1, 2) && pages.saturated(3, 2, 2));
  pages.looked_up(9, true, bits({4}), 3);
  EXPECT_TRUE(pages.saturated(4, 2, 3) && pages.saturated(4, 3, 3));
  EXPECT_FALSE(pages.saturated(4, 1, 3)) << "two are remembered";
}

TEST(CommonPages, NeedAsManyHitsAsTheirCountersHold) {
  for (const unsigned width : {1u, 2u, 3u}) {
    CommonPages pages({.bits = width});
    pages.looked_up(9, false, bits({1}), 0);
    for (unsigned hit = 1; hit < 1u << width; ++hit) {
      EXPECT_FALSE(pages.saturated(2, 1, 1)) << width << " bits, " << hit - 1 << " hits";
      pages.looked_up(9, true, bits({2}), 1);
      pages.looked_up(9, true, bits({1}), 1);
    }
    EXPECT_TRUE(pages.saturated(2, 1, 1)) << width;
  }
}

TEST(CommonPages, AreClearedAtMultiplesOfTheIntervalWhileHistoriesStay) {
  CommonPages pages({.bits = 1, .flush = 500});
  pages.looked_up(9, false, bits({1}), 0);
  pages.looked_up(9, true, bits({2}), 499);
  EXPECT_TRUE(pages.saturated(2, 1, 499));
  EXPECT_FALSE(pages.saturated(2, 1, 500));
  pages.looked_up(9, true, bits({3}), 501);
  EXPECT_TRUE(pages.saturated(3, 2, 501));
  CommonPages kept({.bits = 1, .flush = 0});
  kept.looked_up(9, false, bits({1}), 0);
  kept.looked_up(9, true, bits({2}), 1);
  EXPECT_TRUE(kept.saturated(2, 1, 100000));
}

TEST(CommonPages, CountEachWarpOfADynamicWarpAgainstTheHistoryBefore) {
  CommonPages pages({.bits = 1});
  pages.looked_up(9, false, bits({1}), 0);
  pages.looked_up(9, true, bits({2, 3}), 1);
  EXPECT_TRUE(pages.saturated(2, 1, 1) && pages.saturated(3, 1, 1));
  EXPECT_FALSE(pages.saturated(3, 2, 1)) << "they came together";
  pages.looked_up(9, true, bits({4}), 1);
  EXPECT_TRUE(pages.saturated(4, 2, 1) && pages.saturated(4, 3, 1));
}

TEST(CommonPages, ForgetAnEntryThatWasReplacedAndAWarpThatEnded) {
  CommonPages pages({.bits = 1});
  pages.looked_up(9, false, bits({1}), 0);
  pages.evicted(9);
  pages.looked_up(9, false, bits({2}), 1);
  pages.looked_up(9, true, bits({3}), 1);
  EXPECT_FALSE(pages.saturated(3, 1, 1));
  EXPECT_TRUE(pages.saturated(3, 2, 1) && pages.any_saturated(1));
  pages.forget(2);
  EXPECT_FALSE(pages.saturated(3, 2, 1) || pages.any_saturated(1));
}

TEST(CommonPages, OfFortyEightWarpsWithThreeBitsTakeEightHundredFortySixBytes) {
  EXPECT_EQ(CommonPages::storage_bits(48, 3), 846u * 8);
}

TEST(CommonPages, CountForBothWarpsIfTheyAreSymmetric) {
  CommonPages pages({.bits = 1, .symmetric = true});
  pages.looked_up(9, false, bits({1}), 0);
  pages.looked_up(9, true, bits({2}), 1);
  EXPECT_TRUE(pages.saturated(2, 1, 1) && pages.saturated(1, 2, 1));
}

}  // namespace
}  // namespace heddle::core
