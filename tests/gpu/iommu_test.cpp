// The IOMMU of a SoC: what a miss of an SM's TLB costs there, by closed form, and how lookups wait for each other.
#include <gtest/gtest.h>

#include "base/diagnostics.h"
#include "small_gpu.h"

namespace heddle::test {
namespace {

using Changes = std::vector<std::pair<std::string, std::string>>;

std::shared_ptr<gpu::GpuParameters> soc(const Changes& changes) {
  auto gpu = small_gpu();
  const Changes base{{"l2.slices", "1"},
                     {"l2.miss_latency", "60"},
                     {"vm.check", "true"},
                     {"sm.mmu.kind", "tlb"},
                     {"sm.mmu.walks", "shared"},
                     {"sm.mmu.merge", "false"},
                     {"sm.mmu.tlb.entries", "1"},
                     {"mmu.kind", "iommu"},
                     {"mmu.latency", "100"},
                     {"mmu.intake", "1"},
                     {"mmu.tlb.entries", "64"},
                     {"mmu.tlb.latency", "20"},
                     {"mmu.walker.walks", "16"},
                     {"mmu.walker.cache.kind", "physical"},
                     {"mmu.walker.cache.latency", "8"}};
  for (const auto& [path, value] : base) gpu->set_text(path, value);
  for (const auto& [path, value] : changes) gpu->set_text(path, value);
  return gpu;
}

/// Of a chase over so many pages, after a lap that warms everything.
runtime::LaunchStatistics chase(const Changes& changes, std::uint32_t pages) {
  return run_chase(soc(changes), "ld.global.u64", pages, 4096 + 128, pages);
}

TEST(AnIommu, AnswersAHitOfItsTlbAfterTheWayThereTheLookupAndTheWayBack) {
  const double hit = average_load_latency(chase({{"sm.mmu.tlb.entries", "64"}}, 8));
  const double miss = average_load_latency(chase({}, 8));
  EXPECT_EQ(miss - hit, 50 + 20 + 50 - 1) << "a hit in the SM's TLB costs a cycle";
  EXPECT_EQ(average_load_latency(chase({{"mmu.tlb.latency", "33"}, {"mmu.latency", "80"}}, 8)) - hit, 40 + 33 + 40 - 1);
}

TEST(ASecondLevelTlbOfAnSm, CostsItsLatencyBehindTheFirstAndSavesTheWayToTheIommu) {
  const Changes second{{"sm.mmu.tlb2.entries", "64"}, {"sm.mmu.tlb2.latency", "9"}};
  const double hit = average_load_latency(chase({{"sm.mmu.tlb.entries", "64"}}, 8));
  const auto launch = chase(second, 8);
  EXPECT_EQ(average_load_latency(launch) - hit, 9);
  EXPECT_EQ(launch.counters.at("gpu.mmu.requests"), 0u);
  EXPECT_EQ(launch.counters.at("gpu.sm.mmu.second_hits"), 8u + 1)
      << "one entry in the first level: eight loads and a store";
  // What misses both asks the IOMMU after both have been looked up.
  Changes small{{"sm.mmu.tlb2.entries", "1"}, {"sm.mmu.tlb2.latency", "9"}};
  EXPECT_EQ(average_load_latency(chase(small, 8)) - average_load_latency(chase({}, 8)), 9);
}

TEST(Iommu, HasNoTokens) {
  try {
    (void)chase({{"mmu.fill", "tokens"}}, 2);
    FAIL() << "tokens would have no effect";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("mmu.fill = tokens"), std::string::npos) << error.what();
  }
}

TEST(ASecondLevelTlbOfAnSm, SaysWhatItNeeds) {
  const auto complaint = [](const Changes& changes) -> std::string {
    try {
      (void)chase(changes, 2);
      return "";
    } catch (const UserError& error) {
      return error.what();
    }
  };
  EXPECT_NE(complaint({{"sm.mmu.tlb2.entries", "8"}, {"sm.mmu.kind", "ideal"}}).find("sm.mmu.tlb2: is for one TLB"),
            std::string::npos);
  EXPECT_NE(complaint({{"sm.mmu.tlb2.entries", "8"}, {"sm.mmu.tlb.ports", "2"}}).find("sm.mmu.tlb2.ports = 1"),
            std::string::npos);
  EXPECT_NE(complaint({{"sm.mmu.tlb2.entries", "8"}, {"sm.mmu.tlb2.ways", "3"}}).find("sm.mmu.tlb2.ways = 3"),
            std::string::npos);
}

TEST(AnIommu, WalksByMemoryAndNotThroughTheL2) {
  // One entry in each TLB: every load walks. Three levels are in the page-walk cache, the leaf is read from memory.
  const auto launch = chase({{"mmu.tlb.entries", "1"}}, 8);
  EXPECT_EQ(launch.counters.at("gpu.l2.walk_reads"), 0u);
  EXPECT_EQ(launch.counters.at("gpu.mmu.walker.reads"), launch.counters.at("gpu.mmu.walker.walks"));
  const double walk = average_load_latency(launch) - average_load_latency(chase({}, 8));
  // From memory: the way there and back and DRAM's own time, which a load that misses the L2 measures as well.
  const auto dram = [&](const char* latency) {
    return average_load_latency(chase({{"mmu.tlb.entries", "1"}, {"l2.miss_latency", latency}}, 8));
  };
  EXPECT_EQ(dram("100") - dram("60"), 40) << "a leaf takes the whole way to memory and back";
  EXPECT_EQ(average_load_latency(chase({{"mmu.tlb.entries", "1"}, {"mmu.walker.cache.latency", "10"}}, 8)) -
                average_load_latency(launch),
            3 * 2)
      << "three lookups in the page-walk cache";
  EXPECT_GT(walk, 3 * 8 + 60);
}

/// All lanes of a warp load, a page each.
constexpr const char* kScatter = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry scatter(.param .u64 A)
{
  .reg .b32 t, x;
  .reg .b64 a, w;
  ld.param.u64 a, [A];
  mov.u32 t, %tid.x;
  mul.wide.u32 w, t, 4096;
  add.u64 a, a, w;
  ld.global.u32 x, [a];
  st.global.u32 [a], x;
  ret;
}
)";

runtime::LaunchStatistics scatter(const Changes& changes, std::uint32_t lanes, unsigned threads = 1) {
  runtime::Device::Options options;
  options.gpu = soc(changes);
  options.threads = threads;
  runtime::Device device(options);
  const runtime::Kernel kernel = device.load(kScatter, "scatter.ptx").kernel("scatter");
  const runtime::DeviceArray<std::uint32_t> data(device, 32 * 1024);
  device.launch(kernel, {1, 1, 1}, {lanes, 1, 1}, 0, data.address());
  return device.launch(kernel, {1, 1, 1}, {lanes, 1, 1}, 0, data.address());
}

TEST(AnIommu, TakesOneLookupPerCycleOrPerBankOrAsManyAsCome) {
  // The SM looks two pages up per cycle, so one lookup per cycle falls behind.
  Changes two{{"sm.mmu.tlb.ports", "2"}, {"sm.l1.ports", "2"}};
  const auto waited = [&](Changes changes) {
    changes.insert(changes.end(), two.begin(), two.end());
    return scatter(changes, 32).counters.at("gpu.mmu.waited");
  };
  EXPECT_EQ(waited({{"mmu.intake", "0"}}), 0u);
  EXPECT_EQ(waited({{"mmu.intake", "2"}}), 0u);
  // Two requests come in each cycle: the k-th waits for half of k cycles, rounded up. The SM's one entry still has one
  // of the 32 pages, for the load and for the store.
  std::uint64_t expected = 0;
  for (unsigned k = 0; k < 31; ++k) expected += (k + 1) / 2;
  EXPECT_EQ(waited({}), 2 * expected);
  // Neighbouring pages lie in different banks.
  EXPECT_EQ(waited({{"mmu.iommu.banks", "2"}}), 0u);
  EXPECT_GT(waited({{"mmu.iommu.banks", "1"}}), 0u);
}

TEST(AnIommu, GetsARequestForEachMissThatDoesNotMerge) {
  // Every line of one page misses while the first is under way.
  const auto requests = [](const char* merge) {
    const auto launch = run_chase(soc({{"sm.mmu.merge", merge}}), "ld.global.u64", 4, 128, 4);
    return launch.counters.at("gpu.mmu.requests");
  };
  EXPECT_GE(requests("false"), requests("true"));
  const auto launch = scatter({}, 32);
  EXPECT_EQ(launch.counters.at("gpu.mmu.requests"), launch.counters.at("gpu.sm.mmu.misses"));
}

TEST(AnIommu, GivesTheSameCyclesForAnyNumberOfThreads) {
  EXPECT_EQ(scatter({{"sms", "4"}}, 32).counters, scatter({{"sms", "4"}}, 32, 3).counters);
}

TEST(AnIommu, SaysWhatItNeeds) {
  try {
    (void)chase({{"l2.slices", "0"}}, 2);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("mmu.kind = iommu: needs l2.slices"), std::string::npos) << error.what();
  }
}

TEST(Misses, AreCountedByWhereTheirLineWas) {
  // One entry, eight pages: each load misses the TLB. The lines stay in the L1, but not where kernels begin.
  const auto launch = run_chase(soc({{"sm.mmu.locate", "true"}}), "ld.global.u64", 8, 4096 + 128, 16);
  const auto& counters = launch.counters;
  EXPECT_EQ(counters.at("gpu.sm.mmu.in_l1") + counters.at("gpu.sm.mmu.in_l2") + counters.at("gpu.sm.mmu.in_memory"),
            counters.at("gpu.sm.mmu.misses"));
  EXPECT_EQ(counters.at("gpu.sm.mmu.in_l1"), 8u) << "the second lap";
  EXPECT_GE(counters.at("gpu.sm.mmu.in_l2"), 8u) << "the first lap, from the launch before";
}

}  // namespace
}  // namespace heddle::test
