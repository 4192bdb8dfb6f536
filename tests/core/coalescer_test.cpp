#include <gtest/gtest.h>

#include "core/coalescing.h"

namespace heddle::core {
namespace {

exec::MemoryAccess access(unsigned bytes, std::uint64_t base, std::uint64_t stride) {
  exec::MemoryAccess a;
  a.bytes = bytes;
  a.lanes = kAllLanes;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) a.address[lane] = base + lane * stride;
  return a;
}

unsigned passes(const exec::MemoryAccess& a, bool is_atomic = false) {
  return shared_memory_cycles({a, kAllLanes, 32, is_atomic});
}

TEST(Coalescer, ConsecutiveWordsAreOneLine) {
  Lines lines;
  coalesce(access(4, 0x1000, 4), kAllLanes, 128, lines);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].line.address, 0x1000u);
  EXPECT_EQ(lines[0].sectors, 0xfu);
  EXPECT_EQ(lines[0].first.lanes, kAllLanes);
  EXPECT_EQ(lines[0].bytes, 128u);
}

TEST(Coalescer, MisalignedWordsAreTwoLines) {
  Lines lines;
  coalesce(access(4, 0x1040, 4), kAllLanes, 128, lines);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].sectors, 0xcu);
  EXPECT_EQ(lines[1].sectors, 0x3u);
}

TEST(Coalescer, PagesAreCountedOnceHoweverTheirLinesAreOrdered) {
  EXPECT_EQ(count_pages({}), 0u);
  EXPECT_EQ(count_pages({{.line = {0x1000}}, {.line = {0x1f80}}}), 1u);
  EXPECT_EQ(count_pages({{.line = {0x1000}}, {.line = {0x2000}}, {.line = {0x1080}}, {.line = {0x0f80}}}), 3u);
}

TEST(Coalescer, AStrideOfALineIsALinePerLane) {
  Lines lines;
  coalesce(access(4, 0x1000, 128), kAllLanes, 128, lines);
  ASSERT_EQ(lines.size(), 32u);
  for (const LineRequest& line : lines) EXPECT_EQ(line.sectors, 1u);
}

TEST(Coalescer, OnlyActiveLanesCount) {
  Lines lines;
  coalesce(access(4, 0x1000, 128), 0x5, 128, lines);
  EXPECT_EQ(lines.size(), 2u);
}

TEST(Coalescer, OneOffsetOfLocalMemoryIsOneLineForAllLanes) {
  Lines lines;
  exec::MemoryAccess a = access(4, 16, 0);
  coalesce_local(a, kAllLanes, 0x400000, 128, lines);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].line.address, 0x400000u + 16 / 4 * 128);
  lines.clear();
  a.bytes = 8;
  coalesce_local(a, kAllLanes, 0x400000, 128, lines);
  EXPECT_EQ(lines.size(), 2u);
}

TEST(SharedMemory, ConsecutiveWordsTakeOneCycle) { EXPECT_EQ(passes(access(4, 0, 4)), 1u); }
TEST(SharedMemory, OneWordForAllLanesIsABroadcast) { EXPECT_EQ(passes(access(4, 64, 0)), 1u); }
TEST(SharedMemory, AnOddStrideHasNoConflicts) { EXPECT_EQ(passes(access(4, 0, 12)), 1u); }

class EvenStride : public testing::TestWithParam<unsigned> {};
TEST_P(EvenStride, CostsAsManyCyclesAsLanesShareABank) { EXPECT_EQ(passes(access(4, 0, 4 * GetParam())), GetParam()); }
INSTANTIATE_TEST_SUITE_P(PowersOfTwo, EvenStride, testing::Values(2u, 4u, 8u, 16u, 32u));

TEST(SharedMemory, WideAccessesGoInGroupsOfLanes) {
  EXPECT_EQ(passes(access(8, 0, 8)), 2u);
  EXPECT_EQ(passes(access(16, 0, 16)), 4u);
}

TEST(SharedMemory, AtomicsToOneWordAreServedLaneByLane) {
  EXPECT_EQ(passes(access(4, 64, 0), true), 32u);
  EXPECT_EQ(passes(access(4, 0, 4), true), 1u);
}

}  // namespace
}  // namespace heddle::core
