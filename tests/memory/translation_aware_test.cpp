// Which reads of page-table entries go past the L2, and how.
#include "slice_fixture.h"

namespace heddle::memory {
namespace {

class TranslationAware : public SliceFixture {
 protected:
  TranslationAware() {
    p_.set_text("l2.kib", "1");
    p_.set_text("l2.ways", "2");
    p_.set_text("l2.sector_bytes", "32");
    p_.set_text("l2.latency", "20");
    p_.set_text("l2.fill", "translation-aware");
    p_.set_text("l2.translation_aware.least", "4");
  }
  void make() { SliceFixture::make(1, 32, 1, &board_); }
  static Request read(std::uint64_t line, unsigned level) {
    Request request;
    request.line = LineTag(PhysLine{line});
    request.level = static_cast<std::uint8_t>(level);
    request.traffic = level == 0 ? Traffic::data : Traffic::walk;
    return request;
  }
  void run(unsigned cycles) {
    SliceFixture::run(cycles);
    board_.publish(now_, 1);
  }
  /// Reads it and waits until it is there.
  void access(std::uint64_t line, unsigned level) {
    send(read(line, level));
    run(30);
    answer();
  }
  void answer() {
    for (const std::uint32_t token : std::exchange(asked_, {})) fill(token);
    run(30);
  }
  /// Data hit, entries of level 1 do not.
  void teach() {
    for (int i = 0; i < 8; ++i) access(0x1000, 0);
    for (std::uint64_t i = 0; i < 8; ++i) access(0x100000 + i * 0x1000, 1);
  }
  void transfer(PhysLine /*line*/, std::uint32_t /*units*/, const DramRequest& request, sim::Cycle /*now*/) override {
    asked_.push_back(request.token);
  }

  SharingBoard board_{{.sms = 1, .slices = 1, .applications = 1}, 100000};
  std::vector<std::uint32_t> asked_;
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
