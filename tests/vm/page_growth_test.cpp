#include "vm/page_growth.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::test {
namespace {

using vm::grow;
using vm::Growth;
using vm::kBlockPages;
using vm::page_range;
using vm::PageSet;

constexpr std::size_t kChunk = 16;

PageSet page(std::size_t number) { return page_range(number, 1); }

TEST(PageGrowth, APageBringsItsChunk) {
  EXPECT_EQ(grow({}, {}, page(37), ~PageSet{}), page_range(32, kChunk));
  EXPECT_EQ(grow({}, {}, page(kBlockPages - 1), ~PageSet{}), page_range(kBlockPages - kChunk, kChunk));
}

TEST(PageGrowth, BringsOnlyWhatMayComeAndIsNotThere) {
  EXPECT_EQ(grow({}, page(33), page(34), ~page_range(40, 100)), page_range(34, 6) | page(32));
}

/// Touches pages in order, `stride` apart; how many fault.
std::size_t faults(const Growth& growth, std::size_t stride) {
  PageSet there;
  std::size_t count = 0;
  for (std::size_t p = 0; p < kBlockPages; p += stride) {
    if (there[p]) continue;
    ++count;
    there |= grow(growth, there, page(p), ~PageSet{});
  }
  return count;
}

// As an H200 has it (validation/h200/probes4.txt): 2 MiB come with six faults, whether by 4 or by 64 KiB.
TEST(PageGrowth, SixFaultsBringABlock) {
  EXPECT_EQ(faults({}, 1), 6u);
  EXPECT_EQ(faults({}, kChunk), 6u);
}

TEST(PageGrowth, RegionsDoubleWhenMoreThanHalfIsThere) {
  PageSet there = page_range(0, 2 * kChunk);
  // Two of four chunks are half, three are more.
  EXPECT_EQ(grow({}, page_range(0, kChunk), page(kChunk), ~PageSet{}), page_range(kChunk, kChunk));
  EXPECT_EQ(grow({}, there, page(2 * kChunk), ~PageSet{}), page_range(2 * kChunk, 2 * kChunk));
  there = page_range(0, 16 * kChunk);
  EXPECT_EQ(grow({}, there, page(16 * kChunk), ~PageSet{}), page_range(16 * kChunk, 16 * kChunk));
}

TEST(PageGrowth, FaultsOfABatchCountTogether) {
  PageSet faulted;
  for (std::size_t chunk = 0; chunk < 17; ++chunk) faulted |= page(chunk * kChunk);
  EXPECT_EQ(grow({}, {}, faulted, ~PageSet{}), ~PageSet{});
  faulted[16 * kChunk] = false;  // half of the block is not more than half
  EXPECT_EQ(grow({}, {}, faulted, ~PageSet{}), page_range(0, kBlockPages / 2));
}

TEST(PageGrowth, OfAnAllocationThatEndsInTheBlockTheRestDoesNotCount) {
  const PageSet allowed = page_range(0, 5 * kChunk);
  // Three of five chunks are more than half.
  EXPECT_EQ(grow({}, page_range(0, 2 * kChunk), page(4 * kChunk), allowed), page_range(2 * kChunk, 3 * kChunk));
}

TEST(PageGrowth, ParametersSetItsBounds) {
  EXPECT_EQ(faults({.threshold_percent = 100}, 1), kBlockPages / kChunk);
  EXPECT_EQ(faults({.chunk_pages = 1, .region_pages = 1}, 1), kBlockPages);
  EXPECT_EQ(faults({.region_pages = 64}, 1), 8u * 3);
  EXPECT_EQ(faults({.threshold_percent = 0}, 1), 1u);
  // More than the threshold, not as much.
  EXPECT_EQ(grow({.threshold_percent = 50}, page_range(0, kChunk), page(kChunk), ~PageSet{}),
            page_range(kChunk, kChunk));
}

}  // namespace
}  // namespace heddle::test
