// What managed memory asks of global memory: places, and bytes that outlast their mapping.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "exec/address_space.h"

namespace heddle::runtime {
namespace {

using exec::GlobalMemory;

constexpr std::uint64_t kMib = std::uint64_t{1} << 20;

TEST(GlobalMemory, AlignsAllocationsAndUsesWhatIsBetween) {
  GlobalMemory memory(16 * kMib);
  const auto first = memory.allocate(4096);
  const auto aligned = memory.allocate(2 * kMib, 2 * kMib);
  ASSERT_TRUE(first && aligned);
  EXPECT_EQ(*aligned % (2 * kMib), 0u);
  EXPECT_NE(memory.find(*aligned, 2 * kMib), nullptr);
  const auto between = memory.allocate(8192);
  ASSERT_TRUE(between.has_value());
  EXPECT_GT(*between, *first);
  EXPECT_LT(*between, *aligned);
  const auto behind = memory.allocate(4 * kMib, 2 * kMib);
  ASSERT_TRUE(behind.has_value());
  EXPECT_GE(*behind, *aligned + 2 * kMib);
  EXPECT_FALSE(memory.allocate(12 * kMib, 2 * kMib).has_value());
  for (const auto& address : {first, aligned, between, behind}) EXPECT_TRUE(memory.release(*address));
  EXPECT_TRUE(memory.allocate(12 * kMib, 2 * kMib).has_value());
}

TEST(GlobalMemory, KeepsBytesThatAreApartUntilTheyAreFreed) {
  GlobalMemory memory(16 * kMib);
  const auto address = memory.allocate(kMib);
  ASSERT_TRUE(address.has_value());
  memory.keep_apart(*address, kMib / 2);
  std::memset(memory.find(*address, kMib), 5, kMib);
  memory.forget_accesses(*address, kMib / 2);
  const std::uint8_t* bytes = memory.find(*address, kMib);
  EXPECT_EQ(std::count(bytes, bytes + kMib, 5), static_cast<std::ptrdiff_t>(kMib));
  EXPECT_TRUE(memory.release(*address));
  const auto again = memory.allocate(kMib);
  ASSERT_EQ(again, address);
  bytes = memory.find(*again, kMib);
  EXPECT_EQ(std::count(bytes, bytes + kMib, 0), static_cast<std::ptrdiff_t>(kMib));
}

}  // namespace
}  // namespace heddle::runtime
