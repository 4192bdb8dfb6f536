#include "memory/address_map.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <vector>

namespace heddle::memory {
namespace {

TEST(FixedDivisor, DividesLikeTheProcessor) {
  std::mt19937_64 random(1);
  for (std::uint32_t divisor = 1; divisor <= 300; ++divisor) {
    const FixedDivisor by(divisor);
    for (int i = 0; i < 300; ++i) {
      std::uint64_t value = random() >> (16 + random() % 40);
      if (i % 3 == 0) value = value / divisor * divisor - (i % 2);
      value &= (std::uint64_t{1} << 48) - 1;
      ASSERT_EQ(by.quotient(value), value / divisor) << value << " / " << divisor;
      ASSERT_EQ(by.remainder(value), value % divisor) << value << " % " << divisor;
    }
  }
}

TEST(AddressMap, DividesPartitionsBetweenApplications) {
  AddressMapParameters parameters;
  parameters.set_text("partitions", "8");
  parameters.set_text("divided", "true");
  const AddressMap map(parameters, 0, 3);
  std::array<std::vector<bool>, 3> used;
  for (std::uint16_t application = 0; application < 3; ++application) {
    used[application].resize(8);
    for (std::uint64_t line = 0; line < 10000; ++line)
      used[application][map.place(PhysLine{line * 128}, application).partition] = true;
  }
  // Two each; what is left over is not used.
  EXPECT_EQ(used[0], (std::vector<bool>{1, 1, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(used[1], (std::vector<bool>{0, 0, 1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(used[2], (std::vector<bool>{0, 0, 0, 0, 1, 1, 0, 0}));
  EXPECT_THROW(AddressMap(parameters, 0, 9), UserError);
}

TEST(AddressMap, GivesEveryLineAPlaceOfItsOwnWhereItIsDivided) {
  AddressMapParameters parameters;
  parameters.set_text("partitions", "8");
  parameters.set_text("divided", "true");
  const AddressMap map(parameters, 0, 2);
  std::set<std::pair<std::uint32_t, std::uint64_t>> places;
  for (std::uint64_t line = 0; line < 4096; ++line) {
    const AddressMap::Place place = map.place(PhysLine{line * 128}, 1);
    EXPECT_TRUE(places.emplace(place.partition, place.local).second) << line;
  }
}

}  // namespace
}  // namespace heddle::memory
