// TLB-fill tokens: who may fill the shared TLB, and how the number of tokens follows the miss rate.
#include <gtest/gtest.h>

#include "vm/shared_translation.h"

namespace heddle::vm {
namespace {

constexpr sim::Cycle kEpoch = 1000;

class TokensTest : public testing::Test {
 protected:
  void make(std::initializer_list<std::pair<const char*, const char*>> changes = {}) {
    mmu_.set_text("fill", "tokens");
    for (const auto& [key, value] : changes) mmu_.set_text(std::string("tokens.") + key, value);
    policy_ = mmu_.fill.make(statistics_, "", TlbFillSetup{&board_, 2});
  }
  static TranslationRequest request(std::uint16_t sm, unsigned warp, SpaceId space = 0) {
    return {.page = {7}, .space = space, .warp = static_cast<std::uint8_t>(warp), .sm = sm};
  }
  static Mapping mapping(std::uint64_t page = 7) { return {{page}, {page + 100}, PageSize::small, true}; }
  bool admits(std::uint16_t sm, unsigned warp, SpaceId space = 0) {
    const TranslationRequest one = request(sm, warp, space);
    return policy_->admit({&one, 1}, mapping());
  }
  /// An epoch in which warps 0 to 9 of both SMs use memory and so many of 100 requests miss.
  void epoch(unsigned misses, SpaceId space = 0) {
    for (std::uint8_t warp = 0; warp < 10; ++warp) {
      board_.uses_memory(0, space, warp);
      board_.uses_memory(1, space, warp);
    }
    for (unsigned i = 0; i < 100; ++i) policy_->looked_up(request(0, 0, space), i >= misses);
    now_ += kEpoch;
    board_.publish(now_, 3);
  }
  /// Warps of the first SM that may fill.
  unsigned tokens(SpaceId space = 0) {
    unsigned count = 0;
    while (count < 64 && admits(0, count, space)) ++count;
    return count;
  }

  SharedMmuParameters mmu_;
  sim::StatisticGroup statistics_{"mmu"};
  memory::SharingBoard board_{{.sms = 2, .slices = 1, .applications = 2}, kEpoch};
  std::unique_ptr<TlbFillPolicy> policy_;
  sim::Cycle now_ = 0;
};

TEST_F(TokensTest, EverybodyFillsInTheFirstEpoch) {
  make();
  EXPECT_TRUE(admits(0, 63));
  EXPECT_FALSE(policy_->find(0, {7}).has_value());
}

TEST_F(TokensTest, AfterTheFirstEpochFourOfFiveWarpsHaveTokensTheLowestFirst) {
  make();
  epoch(50);
  EXPECT_EQ(tokens(), 8u);
  EXPECT_TRUE(admits(1, 7));
  EXPECT_FALSE(admits(1, 8));
}

TEST_F(TokensTest, WhatAWarpWithoutTokenBringsIsFoundBesideTheTlb) {
  make();
  epoch(50);
  EXPECT_FALSE(admits(0, 9));
  ASSERT_TRUE(policy_->find(0, {7}).has_value());
  EXPECT_EQ(policy_->find(0, {7})->frame.number, 107u);
  EXPECT_FALSE(policy_->find(1, {7}).has_value()) << "of another application";
  policy_->flush(1);
  EXPECT_TRUE(policy_->find(0, {7}).has_value());
  policy_->flush(0, {8});
  EXPECT_TRUE(policy_->find(0, {7}).has_value());
  policy_->flush(0, {7});
  EXPECT_FALSE(policy_->find(0, {7}).has_value());
}

TEST_F(TokensTest, TheBypassCacheForgetsTheLeastRecentlyUsed) {
  make({{"bypass.entries", "2"}});
  epoch(50);
  const TranslationRequest one = request(0, 60);
  for (std::uint64_t page = 1; page <= 3; ++page) EXPECT_FALSE(policy_->admit({&one, 1}, mapping(page)));
  EXPECT_FALSE(policy_->find(0, {1}).has_value());
  EXPECT_TRUE(policy_->find(0, {2}).has_value());
  EXPECT_TRUE(policy_->find(0, {3}).has_value());
}

TEST_F(TokensTest, OneWarpWithATokenAmongThoseThatWaitIsEnough) {
  make();
  epoch(50);
  const std::vector<TranslationRequest> both{request(0, 60), request(1, 2)};
  EXPECT_TRUE(policy_->admit(both, mapping()));
}

TEST_F(TokensTest, MoreMissesMeanFewerTokensAndFewerMissesMore) {
  make();
  epoch(50);
  epoch(60);  // 16 tokens become 14: a tenth of 20 warps
  EXPECT_EQ(tokens(), 7u);
  epoch(61);  // not by more than two points
  EXPECT_EQ(tokens(), 7u);
  epoch(30);
  EXPECT_EQ(tokens(), 8u);
}

TEST_F(TokensTest, TheOtherRulesGoTheirWay) {
  make({{"rule", "opposite"}});
  epoch(50);
  epoch(60);
  EXPECT_EQ(tokens(), 9u);
  make({{"rule", "hill-climb"}});
  epoch(50);
  epoch(40);  // better: go on as before, downwards
  EXPECT_EQ(tokens(), 7u);
  epoch(60);  // worse: turn round
  EXPECT_EQ(tokens(), 8u);
}

TEST_F(TokensTest, TheThresholdMayBeRelative) {
  make({{"change", "relative"}});
  epoch(60);
  epoch(61);  // less than two percent of sixty
  EXPECT_EQ(tokens(), 8u);
  epoch(63);  // more than two percent of it, though not more than two points
  EXPECT_EQ(tokens(), 7u);
}

TEST_F(TokensTest, AnApplicationKeepsATokenOnEverySmThatItUses) {
  make({{"step", "1"}});
  epoch(10);
  epoch(50);
  EXPECT_EQ(tokens(), 1u);
  make({{"floor", "0"}});
  epoch(10);
  epoch(50);
  EXPECT_EQ(tokens(), 0u);
}

TEST_F(TokensTest, ApplicationsAdaptEachByItself) {
  make();
  epoch(50, 0);
  epoch(50, 1);  // the first application does not come here in this epoch and keeps what it has
  EXPECT_EQ(tokens(0), 8u);
  EXPECT_EQ(tokens(1), 8u);
  epoch(90, 1);
  EXPECT_EQ(tokens(0), 8u);
  EXPECT_EQ(tokens(1), 7u);
}

}  // namespace
}  // namespace heddle::vm
