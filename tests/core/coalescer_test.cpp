#include <gtest/gtest.h>

#include "core/coalescing.h"
#include "core/shared_memory.h"

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
  return shared_passes({a, kAllLanes, 32, is_atomic}).all;
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

TEST(SharedMemory, LanesGoTogetherAsFarAsTheWindowReaches) {
  const auto of_window = [](const exec::MemoryAccess& a) { return shared_passes({a, kAllLanes, 32, false, 256}).all; };
  EXPECT_EQ(of_window(access(8, 0, 8)), 2u);
  EXPECT_EQ(of_window(access(8, 64, 0)), 1u) << "all want the same two words";
  EXPECT_EQ(of_window(access(16, 0, 16)), 4u);
  EXPECT_EQ(of_window(access(16, 64, 0)), 2u) << "half of the lanes at a time";
  EXPECT_EQ(of_window(access(4, 0, 128)), 32u);
}

TEST(SharedMemory, AtomicsToOneWordAreServedLaneByLane) {
  EXPECT_EQ(passes(access(4, 64, 0), true), 32u);
  EXPECT_EQ(passes(access(4, 0, 4), true), 1u);
}

// A row of elements makes its lines at once; the same lines come out as lane by lane.
TEST(Coalescing, MakesTheSameLinesOfARowAtOnce) {
  for (const unsigned bytes : {1u, 2u, 4u, 8u, 16u}) {
    for (const unsigned line_bytes : {32u, 64u, 128u, 256u}) {
      for (std::uint64_t start = 0x1000; start < 0x1000 + 2 * line_bytes; start += bytes) {
        Lines at_once;
        coalesce(access(bytes, start, bytes), kAllLanes, line_bytes, at_once);
        // The same lanes in two calls: neither is a whole row.
        Lines one_by_one;
        coalesce(access(bytes, start, bytes), 0x0000ffff, line_bytes, one_by_one);
        coalesce(access(bytes, start, bytes), 0xffff0000, line_bytes, one_by_one);
        ASSERT_EQ(at_once.size(), one_by_one.size());
        for (std::size_t l = 0; l < at_once.size(); ++l) {
          EXPECT_EQ(at_once[l].line, one_by_one[l].line);
          EXPECT_EQ(at_once[l].sectors, one_by_one[l].sectors);
          EXPECT_EQ(at_once[l].first.lanes, one_by_one[l].first.lanes);
          EXPECT_EQ(at_once[l].bytes, one_by_one[l].bytes);
        }
      }
    }
  }
}

}  // namespace
}  // namespace heddle::core
