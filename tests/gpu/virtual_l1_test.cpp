// A virtual L1 with translation behind it: what it costs, what it saves, and names of one frame.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/diagnostics.h"
#include "two_names.h"

namespace heddle::test {
namespace {

using Changes = std::vector<std::pair<std::string, std::string>>;

std::shared_ptr<gpu::GpuParameters> machine(const Changes& changes) {
  auto gpu = small_gpu();
  const Changes base{{"l2.slices", "1"},          {"l2.miss_latency", "60"},   {"sm.mmu.kind", "after-l1"},
                     {"sm.mmu.tlb.entries", "1"}, {"mmu.kind", "iommu"},       {"mmu.latency", "100"},
                     {"mmu.intake", "1"},         {"mmu.tlb.entries", "64"},   {"mmu.tlb.latency", "20"},
                     {"mmu.walker.walks", "16"},  {"sm.l1.writes", "through"}, {"sm.mmu.merge", "false"}};
  for (const auto& [path, value] : base) gpu->set_text(path, value);
  for (const auto& [path, value] : changes) gpu->set_text(path, value);
  return gpu;
}

/// Cycles of a load in a chase over so many pages, in the second of two laps of a launch, when the L1 has all of it.
double warm_lap(const Changes& changes, std::uint32_t pages) {
  const auto one = run_chase(machine(changes), "ld.global.u64", pages, 4096 + 256, pages);
  const auto two = run_chase(machine(changes), "ld.global.u64", pages, 4096 + 256, 2 * pages);
  EXPECT_EQ(two.counters.at("gpu.sm.l1_hits"), one.counters.at("gpu.sm.l1_hits") + pages);
  return static_cast<double>(two.counters.at("gpu.sm.load_latency") - one.counters.at("gpu.sm.load_latency")) / pages;
}
double cold_lap(const Changes& changes, std::uint32_t pages) {
  return average_load_latency(run_chase(machine(changes), "ld.global.u64", pages, 4096 + 128, pages));
}

const Changes kNone{{"sm.mmu.kind", "none"}};

TEST(AVirtualL1, NeedsNoTranslationWhereItHits) { EXPECT_EQ(warm_lap({}, 8), warm_lap(kNone, 8)); }

TEST(AVirtualL1, TranslatesWhatMisses) {
  // A hit in the TLB: a cycle to get there and one for the lookup.
  EXPECT_EQ(cold_lap({{"sm.mmu.tlb.entries", "64"}}, 8) - cold_lap(kNone, 8), 1 + 1);
  EXPECT_EQ(cold_lap({{"sm.mmu.tlb.entries", "64"}, {"sm.mmu.tlb.latency", "7"}}, 8) - cold_lap(kNone, 8), 1 + 7);
  // A miss that the IOMMU's TLB answers.
  EXPECT_EQ(cold_lap({}, 8) - cold_lap(kNone, 8), 1 + 50 + 20 + 50);
}

TEST(AVirtualL1, LooksASecondLevelUpBehindTheFirst) {
  const Changes second{{"sm.mmu.tlb2.entries", "64"}, {"sm.mmu.tlb2.latency", "9"}};
  EXPECT_EQ(cold_lap(second, 8) - cold_lap(kNone, 8), 1 + 1 + 9);
}

TEST(AVirtualL1, ReadsTheSecondNameOfAFramePastItself) {
  TwoNames names(machine({}));
  const auto launch = names.run(names.name(2));
  EXPECT_EQ(launch.counters.at("gpu.sm.mmu.synonyms.loads"), 2u) << "each time again";
  EXPECT_EQ(launch.counters.at("gpu.sm.l1_hits"), 1u) << "the first name is found the second time";
}

TEST(AVirtualL1, FaultsOnAWriteUnderTheSecondNameAndSaysBoth) {
  TwoNames names(machine({}));
  try {
    names.run(names.name(1));
    FAIL() << "nothing was noticed";
  } catch (const UserError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("read-write synonym: SM 0 writes"), std::string::npos) << text;
    EXPECT_NE(text.find(fmt::format("{:#x}", names.name(1))), std::string::npos) << text;
    EXPECT_NE(text.find(fmt::format("under {:#x}", names.name(0))), std::string::npos) << text;
  }
}

TEST(AVirtualL1, GivesItsCopyUpIfAskedTo) {
  TwoNames names(machine({{"sm.mmu.rw_synonyms", "replay"}}));
  std::uint64_t hits = 1;
  ASSERT_NO_THROW(hits = names.run(names.name(1)).counters.at("gpu.sm.l1_hits"));
  EXPECT_EQ(hits, 0u) << "the load after the write asks the L2 again";
}

TEST(AVirtualL1, MustNotBeDirty) {
  try {
    (void)cold_lap({{"sm.l1.writes", "write-back"}}, 2);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("sm.l1.writes = write-back: a virtual L1"), std::string::npos);
  }
}

}  // namespace
}  // namespace heddle::test
