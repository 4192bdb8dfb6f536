// Virtual L1 and L2 with a forward-backward table behind them: exact costs, names of one frame, entries that must go.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/diagnostics.h"
#include "mix_kernel.h"
#include "two_names.h"
#include "workloads/workload.h"

namespace heddle::test {
namespace {

const Changes kVirtual{{"l2.slices", "2"},
                       {"l2.miss_latency", "60"},
                       {"l2.sector_bytes", "128"},
                       {"sm.mmu.kind", "after-l2"},
                       {"sm.l1.writes", "through"},
                       {"mmu.kind", "forward-backward"},
                       {"mmu.latency", "20"},
                       {"mmu.intake", "1"},
                       {"mmu.tlb.entries", "64"},
                       {"mmu.tlb.latency", "20"},
                       {"mmu.walker.walks", "16"},
                       {"mmu.walker.cache.kind", "physical"},
                       {"mmu.forward_backward.entries", "256"},
                       {"network.latency", "12"}};

Changes with(const Changes& more) {
  Changes all = kVirtual;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::shared_ptr<gpu::GpuParameters> virtual_machine(const Changes& changes) {
  auto gpu = small_gpu();
  for (const auto& [path, value] : with(changes)) gpu->set_text(path, value);
  return gpu;
}

/// Of a chase over so many pages, after a lap that warms everything but the L1.
runtime::LaunchStatistics chase(const Changes& changes, std::uint32_t pages) {
  return run_chase(virtual_machine(changes), "ld.global.u64", pages, 4096 + 128, pages);
}

const Changes kPhysical{{"sm.mmu.kind", "none"}};
const Changes kTinyL2{{"l2.kib", "2"}, {"l2.ways", "4"}};  // 16 lines in each slice: 64 pages of one line do not fit

double miss_latency(Changes changes) {
  changes.insert(changes.end(), kTinyL2.begin(), kTinyL2.end());
  const auto launch = chase(changes, 64);
  EXPECT_GE(launch.counters.at("gpu.l2.misses"), 64u);
  return average_load_latency(launch);
}

TEST(AVirtualL2, NeedsNoTranslationWhereItHits) {
  EXPECT_EQ(average_load_latency(chase({}, 8)), average_load_latency(chase(kPhysical, 8)));
  EXPECT_EQ(chase({}, 8).counters.at("gpu.mmu.requests"), 0u);
}

TEST(AVirtualL2, TranslatesWhatMissesByTheLinkTheTlbAndTheTable) {
  const double miss = miss_latency({});
  EXPECT_EQ(miss_latency({{"mmu.latency", "60"}}) - miss, 20) << "the link, there; data does not come by it";
  EXPECT_EQ(miss_latency({{"mmu.tlb.latency", "33"}}) - miss, 13);
  EXPECT_EQ(miss_latency({{"mmu.forward_backward.latency", "9"}}) - miss, 4);
}

/// Streams through memory with eight SMs and four channels, so that lines come and go as fast as they can.
std::map<std::string, std::uint64_t> stream(const char* updates_take_port) {
  auto gpu = virtual_machine({{"sms", "8"},
                              {"memory.partitions", "4"},
                              {"l2.slices", "4"},
                              {"mmu.intake", "0"},
                              {"mmu.forward_backward.updates_take_port", updates_take_port}});
  runtime::Device::Options options;
  options.gpu = gpu;
  runtime::Device device(options);
  workloads::Request request;
  request.elements = 60'000;
  EXPECT_TRUE(workloads::find("vectoradd")->run(device, request).passed);
  return sim::totals(device.gpu()->statistics());
}

TEST(AVirtualL2, SetsBitsBesideTheLookupsOfTheTable) {
  const auto beside = stream("false");
  const auto in_turn = stream("true");
  EXPECT_GE(beside.at("gpu.mmu.table.updates"), beside.at("gpu.mmu.table.lookups")) << "each line that comes, at least";
  EXPECT_LT(beside.at("gpu.cycles"), in_turn.at("gpu.cycles"));
}

TEST(AVirtualL2, FindsInTheForwardTableWhatTheTlbHasLost) {
  // The search of the forward side takes the place of that of the backward side.
  const Changes small{{"mmu.tlb.entries", "1"}};
  EXPECT_EQ(miss_latency(small), miss_latency({}));
  Changes more = small;
  more.insert(more.end(), kTinyL2.begin(), kTinyL2.end());
  const auto launch = chase(more, 64);
  EXPECT_EQ(launch.counters.at("gpu.mmu.second_level_hits"), launch.counters.at("gpu.mmu.tlb_misses"));
  EXPECT_EQ(launch.counters.at("gpu.mmu.walker.walks"), 0u);
  more.emplace_back("mmu.forward_backward.second_level", "false");
  EXPECT_EQ(chase(more, 64).counters.at("gpu.mmu.walker.walks"), chase(more, 64).counters.at("gpu.mmu.tlb_misses"));
}

TEST(AVirtualL2, ReadsTheSecondNameOfAFrameUnderTheFirst) {
  TwoNames names(virtual_machine({}));
  const auto launch = names.run(names.name(2));
  EXPECT_EQ(launch.counters.at("gpu.mmu.table.synonyms"), 2u) << "each time again";
  EXPECT_EQ(launch.counters.at("gpu.mmu.table.synonyms_cached"), 1u) << "the first while the line was on its way";
  EXPECT_EQ(launch.counters.at("gpu.l2.replays"), 2u);
  EXPECT_EQ(launch.counters.at("gpu.sm.l1_hits"), 1u) << "the first name is found the second time";
}

TEST(AVirtualL2, FaultsWhenAPageOfTwoNamesIsWrittenUnderEither) {
  for (const unsigned written : {0u, 1u}) {
    TwoNames names(virtual_machine({}));
    try {
      names.run(names.name(written));
      FAIL() << "nothing was noticed";
    } catch (const UserError& error) {
      const std::string text = error.what();
      for (const unsigned name : {0u, 1u}) {
        EXPECT_NE(
            text.find(fmt::format("under {:#x} of address space 0 (page {:#x})", names.name(name), names.name(name))),
            std::string::npos)
            << text;
      }
      EXPECT_NE(text.find(fmt::format("of {:#x} of address space 0;", names.name(written))), std::string::npos) << text;
    }
  }
}

TEST(AVirtualL2, GoesOnWithWrittenSynonymsIfAskedTo) {
  for (const unsigned written : {0u, 1u}) {
    TwoNames names(virtual_machine({{"sm.mmu.rw_synonyms", "replay"}}));
    for (int round = 0; round < 3; ++round) ASSERT_NO_THROW((void)names.run(names.name(written)));
  }
}

TEST(AVirtualL2, IsRightInCheckedRunsWithTablesOfAnySize) {
  for (const Changes& changes :
       std::vector<Changes>{{},
                            {{"mmu.forward_backward.second_level", "false"}, {"mmu.tlb.entries", "1"}},
                            {{"mmu.forward_backward.entries", "4"}, {"mmu.forward_backward.ways", "2"}},
                            {{"mmu.forward_backward.entries", "2"}, {"mmu.forward_backward.ways", "1"}},
                            {{"mmu.forward_backward.free_empty", "true"}, {"l2.mshrs", "2"}},
                            {{"sm.l1.writes", "evict"}, {"l2.sector_bytes", "32"}, {"sm.l1.sector_bytes", "32"}},
                            {{"vm.page", "2m"}, {"vm.frames.allocation", "contiguous"}},
                            {{"vm.lazy", "true"}, {"vm.faults.minor", "300"}},
                            {{"vm.flush_interval", "3000"}}}) {
    SCOPED_TRACE(changes.empty() ? "as it is" : changes.front().first + " = " + changes.front().second);
    Checked run(with(changes), 2);
    for (const std::uint32_t step : {1u, 33u}) ASSERT_NO_THROW(run.launch(step, 12));
    EXPECT_GT(run.judged(), 3000u);
  }
}

TEST(AVirtualL2, KeepsUpWithPagesThatMove) {
  for (const char* shootdown : {"all", "space", "page"}) {
    Checked run(with({{"mmu.forward_backward.entries", "16"}, {"vm.shootdown", shootdown}}));
    run.launch(1, 12);
    for (int i = 0; i < 3; ++i) {
      run.device().migrate(run.address(), 2 * 4096);
      run.device().evict(run.address() + 4096, 4096);
      ASSERT_NO_THROW(run.launch(7, 12));
    }
  }
}

TEST(AVirtualL2, GivesTheSameCyclesForAnyNumberOfThreads) {
  const auto counters = [](unsigned threads) {
    Checked run(with({{"mmu.forward_backward.entries", "8"}, {"mmu.forward_backward.ways", "2"}}), threads);
    run.launch(33, 12);
    return sim::totals(run.gpu().statistics());
  };
  const auto one = counters(1);
  EXPECT_GT(one.at("gpu.mmu.table.evicted_backward"), 0u);
  EXPECT_GT(one.at("gpu.sm.l1_page_flushes"), 0u);
  EXPECT_EQ(counters(2), one);
  EXPECT_EQ(counters(3), one);
}

TEST(AVirtualL2, SaysWhatItNeeds) {
  const auto complaint = [](const Changes& changes) -> std::string {
    try {
      gpu::Gpu gpu(*virtual_machine(changes), 1);
      return "";
    } catch (const UserError& error) {
      return error.what();
    }
  };
  EXPECT_NE(complaint({{"mmu.kind", "iommu"}}).find("after-l2 and forward-backward belong together"),
            std::string::npos);
  EXPECT_NE(complaint({{"l2.slices", "0"}}).find("a virtual L2 needs l2.slices"), std::string::npos);
  EXPECT_NE(complaint({{"mmu.forward_backward.ways", "3"}}).find("mmu.forward_backward.ways = 3: 256 entries"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle::test
