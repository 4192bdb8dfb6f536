#include "memory/address_map.h"

#include <gtest/gtest.h>

#include <random>

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

}  // namespace
}  // namespace heddle::memory
