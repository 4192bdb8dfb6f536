// How long entries live, by hand.
#include "memory/lifetimes.h"

#include <gtest/gtest.h>

#include <map>

namespace heddle::memory {
namespace {

class LivesOf : public ::testing::Test {
 protected:
  [[nodiscard]] std::map<std::string, std::uint64_t> counted() const { return sim::totals(root_); }

  sim::StatisticGroup root_{"gpu"};
};

TEST_F(LivesOf, LinesEndWithTheirLastUse) {
  Lifetimes lives(root_, "lives", 100, Lifetimes::Until::last_use);
  lives.came(1, 1000);
  lives.used(1, 1150);
  lives.replaced(1, 9000);  // 150 cycles in use
  lives.came(2, 1000);
  lives.replaced(2, 9000);  // never used again
  lives.came(3, 1000);
  lives.used(3, 1300);
  lives.came(3, 5000);  // a flush took it at some time
  lives.used(4, 5000);  // nobody has seen it come
  lives.replaced(4, 5001);
  const auto count = counted();
  EXPECT_EQ(count.at("gpu.lives.ended"), 3u);
  EXPECT_EQ(count.at("gpu.lives.lived_1"), 2u);
  EXPECT_EQ(count.at("gpu.lives.lived_2"), 1u);
  EXPECT_EQ(count.at("gpu.lives.lived_3"), 1u);
  EXPECT_EQ(count.at("gpu.lives.lived_4"), 0u);
}

TEST_F(LivesOf, TranslationsEndWhenTheyAreReplaced) {
  Lifetimes lives(root_, "lives", 100, Lifetimes::Until::replacement);
  lives.came(1, 1000);
  lives.replaced(1, 2999);
  lives.came(2, 1000);
  lives.came(2, 4000);  // a flush had taken it: when, nobody knows
  lives.replaced(2, 4199);
  const auto count = counted();
  EXPECT_EQ(count.at("gpu.lives.ended"), 2u);
  EXPECT_EQ(count.at("gpu.lives.lived_1"), 2u);
  EXPECT_EQ(count.at("gpu.lives.lived_2"), 1u);
  EXPECT_EQ(count.at("gpu.lives.lived_10"), 1u);
}

}  // namespace
}  // namespace heddle::memory
