// Which reads of page-table entries go past the L2, and how.
#include <gtest/gtest.h>

#include "memory/l2_slice.h"

namespace heddle::memory {
namespace {

class TranslationAware : public testing::Test, protected MemoryLink {
 protected:
  TranslationAware() {
    p_.set_text("l2.kib", "1");
    p_.set_text("l2.ways", "2");
    p_.set_text("l2.sector_bytes", "32");
    p_.set_text("l2.latency", "20");
    p_.set_text("l2.fill", "translation-aware");
    p_.set_text("l2.translation_aware.least", "4");
  }
  void make() {
    network_.emplace(p_.network, exchange_, Network::Size{1, 1});
    slice_ = std::make_unique<L2Slice>(
        L2Slice::Setup{p_.l2, 32, *network_, *this, statistics_, 700, 0, nullptr, 1, nullptr, &board_});
  }
  static Request read(std::uint64_t line, unsigned level) {
    Request request;
    request.line = LineTag(PhysLine{line});
    request.level = static_cast<std::uint8_t>(level);
    request.traffic = level == 0 ? Traffic::data : Traffic::walk;
    return request;
  }
  void send(Request request) {
    request.arrival = now_;
    network_->requests(0).send(request);
    exchange_.turn_over();
    (void)slice_->receive();
  }
  void run(unsigned cycles) {
    for (; cycles != 0; --cycles, ++now_) {
      slice_->begin(now_);
      slice_->tick(now_);
    }
    board_.publish(now_, 1);
  }
  /// Reads it and waits until it is there.
  void access(std::uint64_t line, unsigned level) {
    send(read(line, level));
    run(30);
    answer();
  }
  void answer() {
    for (const std::uint32_t token : std::exchange(asked_, {})) {
      slice_->begin(now_);
      slice_->fill(token, now_);
      slice_->tick(now_);
      ++now_;
    }
    run(30);
  }
  /// Data hit, entries of level 1 do not.
  void teach() {
    for (int i = 0; i < 8; ++i) access(0x1000, 0);
    for (std::uint64_t i = 0; i < 8; ++i) access(0x100000 + i * 0x1000, 1);
  }
  [[nodiscard]] std::uint64_t counter(const std::string& name) const {
    return sim::totals(statistics_).at("root.l2." + name);
  }

  [[nodiscard]] bool full(PhysLine /*line*/, std::uint16_t /*application*/) const override { return full_; }
  void transfer(PhysLine /*line*/, std::uint32_t /*units*/, const DramRequest& request, sim::Cycle /*now*/) override {
    asked_.push_back(request.token);
  }

  struct Root : sim::ParameterGroup {
    L2Parameters l2{*this, "l2", ""};
    NetworkParameters network{*this, "network", ""};
  };
  Root p_;
  sim::Exchange exchange_{1};
  sim::StatisticGroup statistics_{"root"};
  SharingBoard board_{{.sms = 1, .slices = 1, .applications = 1}, 100000};
  std::optional<Network> network_;
  std::unique_ptr<L2Slice> slice_;
  std::vector<std::uint32_t> asked_;
  bool full_ = false;
  sim::Cycle now_ = 0;
};

TEST_F(TranslationAware, ALevelThatHitsLessThanDataGoesPast) {
  make();
  teach();
  // The first four were needed to know.
  EXPECT_EQ(counter("walk_reads_level1"), 4u);
  EXPECT_EQ(counter("went_past"), 4u);
  EXPECT_EQ(counter("translation_aware.level1"), 4u);
}

TEST_F(TranslationAware, WhatGoesPastIsNotKept) {
  make();
  teach();
  const std::uint64_t before = counter("went_past");
  access(0x900000, 1);
  access(0x900000, 1);
  EXPECT_EQ(counter("went_past"), before + 2);
}

TEST_F(TranslationAware, WhatGoesPastDoesNotWaitForTheL2) {
  make();
  teach();
  // The first in the queue waits for room to DRAM, and others behind it.
  full_ = true;
  send(read(0x800000, 0));
  run(5);
  EXPECT_TRUE(asked_.empty());
  send(read(0xa00000, 1));
  run(1);
  EXPECT_EQ(asked_.size(), 1u);
  full_ = false;
  slice_->dram_moved();
  run(5);
  EXPECT_EQ(asked_.size(), 2u);
}

TEST_F(TranslationAware, ALevelThatHitsMoreThanDataStays) {
  make();
  for (std::uint64_t i = 0; i < 8; ++i) access(0x100000 + i * 0x1000, 0);
  for (int i = 0; i < 8; ++i) access(0x1000, 4);
  EXPECT_EQ(counter("went_past"), 0u);
  EXPECT_EQ(counter("walk_reads_level4"), 8u);
  EXPECT_EQ(counter("walk_misses_level4"), 1u);
}

TEST_F(TranslationAware, ALevelComesBackWithTheNextEpoch) {
  make();
  teach();
  now_ = 100000;
  run(1);
  const std::uint64_t before = counter("walk_reads_level1");
  access(0x900000, 1);
  EXPECT_EQ(counter("walk_reads_level1"), before + 1);
}

TEST_F(TranslationAware, SomeLookIntoTheL2AllTheSameIfAskedFor) {
  p_.set_text("l2.translation_aware.sample", "4");
  make();
  teach();
  for (std::uint64_t i = 0; i < 8; ++i) access(0x200000 + i * 0x1000, 1);
  EXPECT_EQ(counter("translation_aware.sampled"), 3u);
  EXPECT_EQ(counter("went_past"), 9u);
}

TEST_F(TranslationAware, FixedLevelsGoPastWhateverTheirHitRate) {
  p_.set_text("l2.translation_aware.fixed_levels", "2");
  make();
  access(0x1000, 1);
  access(0x2000, 2);
  access(0x3000, 3);
  EXPECT_EQ(counter("went_past"), 2u);
}

}  // namespace
}  // namespace heddle::memory
