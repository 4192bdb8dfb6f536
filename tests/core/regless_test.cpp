// The parts of RegLess by themselves: the staging unit's lists, the compressor's patterns.
#include <gtest/gtest.h>

#include "core/operands/regless/compressor.h"
#include "core/operands/regless/staging_unit.h"
#include "core/parameters.h"
#include "core/sm_statistics.h"

namespace heddle::core {
namespace {

RegisterValue strided(std::uint32_t base, std::uint32_t stride) {
  RegisterValue value;
  for (std::uint32_t l = 0; l < kWarpSize; ++l) value[l] = base + l * stride;
  return value;
}

TEST(Compressor, KnowsFivePatternsAndNoMore) {
  EXPECT_EQ(compress(strided(7, 0))->pattern, ValuePattern::constant);
  EXPECT_EQ(compress(strided(0xffffffff, 1))->pattern, ValuePattern::stride1) << "arithmetic wraps around";
  EXPECT_EQ(compress(strided(100, 4))->pattern, ValuePattern::stride4);
  EXPECT_FALSE(compress(strided(100, 2)));
  EXPECT_FALSE(compress(strided(100, 8)));
  RegisterValue halves = strided(100, 1);
  for (unsigned l = 16; l < 32; ++l) halves[l] = 5000 + l;
  EXPECT_EQ(compress(halves)->pattern, ValuePattern::half_stride1);
  for (unsigned l = 0; l < 32; ++l) halves[l] = (l < 16 ? 100 : 9000) + 4 * (l % 16);
  EXPECT_EQ(compress(halves)->pattern, ValuePattern::half_stride4);
  for (unsigned l = 0; l < 32; ++l) halves[l] = l < 16 ? 1 : 2;
  EXPECT_FALSE(compress(halves)) << "there is no constant for half a warp";
  halves = strided(100, 1);
  ++halves[31];
  EXPECT_FALSE(compress(halves)) << "one lane is out of line";
}

TEST(Compressor, GivesBackWhatItTook) {
  for (const RegisterValue& value : {strided(7, 0), strided(1u << 31, 1), strided(3, 4)})
    EXPECT_EQ(expand(*compress(value)), value);
  Compressor compressor(2, 16);
  compressor.put({3, 200}, *compress(strided(9, 4)));
  EXPECT_EQ(compressor.get({3, 200}), strided(9, 4));
}

TEST(Compressor, KnowsWhichLinesHoldAnything) {
  Compressor compressor(2, 16);
  const StagedName name{5, 17};
  const std::uint32_t line = compressor.line_of(name);
  EXPECT_EQ(line, (17u * 16 + 5) / 15);
  EXPECT_FALSE(compressor.holds_any(line));
  compressor.set_copy(name, Compressor::Copy::compressed);
  compressor.set_copy(name, Compressor::Copy::compressed);
  EXPECT_TRUE(compressor.holds_any(line));
  compressor.set_copy(name, Compressor::Copy::whole);
  EXPECT_FALSE(compressor.holds_any(line));
}

TEST(RegLess, AdmitsAsManyBlocksAsARegisterFileWouldUnlessToldOtherwise) {
  SmParameters p;
  sim::StatisticGroup root("gpu");
  SmStatistics statistics(root, "sm");
  p.set_text("operands", "regless");
  const OperandStorage::Setup setup{p, statistics};
  EXPECT_TRUE(p.operands.make(statistics, "", setup)->fits(32, 32));
  EXPECT_FALSE(p.operands.make(statistics, "", setup)->fits(64, 32)) << "32768 registers are half of that";
  p.set_text("regless.oversubscribe", "true");
  EXPECT_TRUE(p.operands.make(statistics, "", setup)->fits(64, 32));
}

TEST(StagingUnit, TakesFreeLinesThenCleanThenDirtyOnes) {
  StagingUnit unit(3, 4);
  StagingUnit::Victim victim;
  const StagingUnit::Line dirty = unit.allocate(0, {0, 0}, victim);
  unit.value(dirty) = strided(1, 1);
  unit.set_dirty(dirty);
  const StagingUnit::Line clean = unit.allocate(0, {0, 8}, victim);
  unit.release(dirty, false);
  unit.release(clean, false);
  EXPECT_FALSE(unit.must_write_back(0)) << "one is free and one clean";
  (void)unit.allocate(0, {0, 16}, victim);
  EXPECT_EQ(unit.find({0, 8}), clean);
  (void)unit.allocate(0, {0, 24}, victim);
  EXPECT_FALSE(victim.dirty);
  EXPECT_EQ(unit.find({0, 8}), StagingUnit::kNone) << "the clean one made room";
  EXPECT_TRUE(unit.must_write_back(0));
  EXPECT_FALSE(unit.must_write_back(1));
  (void)unit.allocate(0, {0, 32}, victim);
  EXPECT_TRUE(victim.dirty);
  EXPECT_EQ(victim.name, (StagedName{0, 0}));
  EXPECT_EQ(victim.value, strided(1, 1));
}

TEST(StagingUnit, AnErasedLineIsFreeAndAReleasedOneCanBeHadAgain) {
  StagingUnit unit(1, 4);
  StagingUnit::Victim victim;
  const StagingUnit::Line line = unit.allocate(2, {1, 2}, victim);
  unit.value(line) = strided(5, 0);
  unit.set_dirty(line);
  unit.release(line, false);
  EXPECT_EQ(unit.find({1, 2}), line);
  unit.own(line);
  EXPECT_EQ(unit.value(line), strided(5, 0));
  EXPECT_TRUE(unit.is_dirty(line));
  unit.release(line, true);
  EXPECT_EQ(unit.find({1, 2}), StagingUnit::kNone);
  EXPECT_EQ(unit.value(unit.allocate(2, {3, 2}, victim)), RegisterValue{}) << "a new line holds zeros";
  EXPECT_FALSE(victim.dirty);
}

TEST(StagingUnit, AWarpThatExitsLeavesNothing) {
  StagingUnit unit(2, 4);
  StagingUnit::Victim victim;
  unit.release(unit.allocate(0, {1, 0}, victim), false);
  (void)unit.allocate(1, {1, 1}, victim);
  (void)unit.allocate(0, {2, 0}, victim);
  unit.drop_warp(1);
  EXPECT_EQ(unit.find({1, 0}), StagingUnit::kNone);
  EXPECT_EQ(unit.find({1, 1}), StagingUnit::kNone);
  EXPECT_NE(unit.find({2, 0}), StagingUnit::kNone);
}

}  // namespace
}  // namespace heddle::core
