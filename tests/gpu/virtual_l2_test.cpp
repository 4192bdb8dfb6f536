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

/// What leaves and comes of a path, in cycles: kVirtual's.
constexpr double kLink = 10;  // mmu.latency / 2
constexpr double kTlb = 20;
constexpr double kTable = 5;
constexpr double kNetwork = 12;

/// What DRAM does with a line is known where a line is one burst and the row is always in the same state: closed, or
/// open at another row. With rows that are left open as they come, some lines find theirs and others do not.
Changes with_known_rows(Changes changes, const char* policy = "closed") {
  changes.insert(changes.end(), {{"dram.bus_bytes", "16"}, {"dram.row_policy", policy}});
  return changes;
}

/// What an L2 miss costs beside translation, from the parameters: a hit, the way to DRAM and back, and one read there.
double physical_miss(const Changes& changes) {
  const auto gpu = virtual_machine(changes);
  const auto& p = *gpu;
  const auto occupancy = [&](unsigned data) {
    return (data + p.network.header_bytes + p.network.bytes_per_cycle - 1) / p.network.bytes_per_cycle;
  };
  const unsigned hit = 1 + occupancy(0) + p.network.latency + p.l2.latency + occupancy(128) + p.network.latency;
  EXPECT_EQ(average_load_latency(chase(changes, 8)), hit);
  const unsigned precharge = p.dram.row_policy.is("open") ? p.dram.tRP.get() : 0;
  EXPECT_EQ(p.dram.burst_bytes(), 128u);
  return hit + p.l2.miss_latency + precharge + p.dram.tRCD_read + p.dram.tCL + p.dram.burst_cycles;
}

TEST(AVirtualL2, CostsOnAMissTheLinkTheTlbAndTheTableMoreThanAPhysicalOne) {
  for (const char* policy : {"closed", "open"}) {
    for (const char* way : {"60", "400"}) {
      const Changes changes = with_known_rows({{"l2.miss_latency", way}}, policy);
      const double physical = physical_miss(changes);
      Changes ideal = changes;
      ideal.emplace_back("sm.mmu.kind", "ideal");
      EXPECT_EQ(miss_latency(ideal), physical) << policy << ' ' << way;
      EXPECT_EQ(miss_latency(changes), physical + kLink + kTlb + kTable) << policy << ' ' << way;
    }
  }
}

TEST(AVirtualL2, CostsOnAMissOfTheTlbAndTheTableAWalkAndTheLookupBehindIt) {
  const auto walk = [](const Changes& more) {
    Changes changes = with_known_rows({{"mmu.forward_backward.second_level", "false"}, {"mmu.tlb.entries", "1"}});
    changes.insert(changes.end(), more.begin(), more.end());
    const auto gpu = virtual_machine(changes);
    const double latency = miss_latency(changes);
    // Three levels are in the page-walk cache; the leaf comes from memory, as the data do after it.
    const unsigned cached = 3 * gpu->mmu.walker.cache.latency;
    const auto& dram = gpu->dram;
    const unsigned leaf = gpu->l2.miss_latency + dram.tRCD_read + dram.tCL + dram.burst_cycles;
    const double known = physical_miss(changes) + gpu->mmu.latency / 2 + gpu->mmu.tlb.latency + cached + leaf;
    return std::pair(latency, known);
  };
  for (const Changes& more : std::vector<Changes>{{},
                                                  {{"l2.miss_latency", "440"}},
                                                  {{"mmu.walker.cache.latency", "10"}},
                                                  {{"mmu.latency", "60"}},
                                                  {{"mmu.tlb.latency", "33"}}}) {
    const auto [latency, known] = walk(more);
    EXPECT_EQ(latency, known + kTable) << (more.empty() ? "as it is" : more.front().first);
  }
  const auto [latency, known] = walk({{"mmu.forward_backward.latency", "9"}});
  EXPECT_EQ(latency, known + 9) << "once, behind the walk";
}

/// Eight pages and eight more names of them; a ring through the second names is followed after the first have been
/// read.
class SynonymChase {
 public:
  explicit SynonymChase(const Changes& changes)
      : device_(options(changes)),
        kernel_(device_.load(chase_ptx("ld.global.u64"), "chase.ptx").kernel("chase")),
        memory_(device_, 2 * kPages * kWords),
        out_(device_, 1) {
    std::vector<std::uint64_t> values(2 * kPages * kWords, 0);
    for (std::uint64_t page = 0; page < kPages; ++page)
      values[page * kWords + page * 32] = name(kPages + (page + 1) % kPages);
    memory_.upload(values);
    for (std::uint64_t page = 0; page < kPages; ++page)
      device_.alias(memory_.address() + (kPages + page) * 4096, memory_.address() + page * 4096, 4096);
  }
  /// Reads each page by its first name, then follows the ring through the second names twice; the latency of that.
  double latency() {
    for (std::uint64_t page = 0; page < kPages; ++page) launch(name(page), 1);
    launch(name(kPages), kPages);
    return average_load_latency(launch(name(kPages), kPages));
  }
  /// The counters of so many laps, after another.
  NamedCounters laps(std::uint64_t count) {
    (void)latency();
    return launch(name(kPages), count * kPages).counters;
  }

 private:
  static constexpr std::uint64_t kPages = 8;
  static constexpr std::uint64_t kWords = 512;
  static runtime::Device::Options options(const Changes& changes) {
    runtime::Device::Options options;
    options.gpu = virtual_machine(changes);
    return options;
  }
  [[nodiscard]] std::uint64_t name(std::uint64_t page) const {
    return memory_.address() + page * 4096 + page % kPages * 256;
  }
  runtime::LaunchStatistics launch(std::uint64_t from, std::uint64_t steps) {
    return device_.launch(kernel_, {1, 1, 1}, {1, 1, 1}, 0, from, out_.address(), static_cast<std::uint32_t>(steps));
  }
  runtime::Device device_;
  runtime::Kernel kernel_;
  runtime::DeviceArray<std::uint64_t> memory_;
  runtime::DeviceArray<std::uint64_t> out_;
};

TEST(AVirtualL2, CostsForASynonymItsTranslationAndTheWayToTheLeadingLine) {
  const double hit = average_load_latency(chase({}, 8));
  const double replay = SynonymChase(Changes{}).latency();
  EXPECT_EQ(replay - hit, kLink + kTlb + kTable + kLink + kLink) << "to the table, back, and to the other slice";
  const auto longer = [&](const char* key, const char* value) {
    return SynonymChase(Changes{{key, value}}).latency() - replay;
  };
  EXPECT_EQ(longer("mmu.latency", "60"), 3 * 20);
  EXPECT_EQ(longer("mmu.tlb.latency", "33"), 13);
  EXPECT_EQ(longer("mmu.forward_backward.latency", "9"), 4);
}

TEST(AnSmThatKnowsSynonyms, FindsThemInItsL1AndInTheL2AsTheirLeadingNames) {
  const auto two_laps = [](const char* synonyms) {
    return SynonymChase(Changes{{"sm.mmu.synonyms", synonyms}}).laps(2);
  };
  const auto without = two_laps("0");
  EXPECT_EQ(without.at("gpu.l2.replays"), 16u) << "each time again";
  EXPECT_EQ(without.at("gpu.sm.l1_hits"), 0u);
  // What it has learnt it knows in the next launch; the second lap finds the lines in the L1.
  const auto with_table = two_laps("8");
  EXPECT_EQ(with_table.at("gpu.l2.replays"), 0u);
  EXPECT_EQ(with_table.at("gpu.sm.l1_renamed"), 16u);
  EXPECT_EQ(with_table.at("gpu.sm.l1_hits"), 8u);
  EXPECT_EQ(two_laps("4").at("gpu.l2.replays"), 16u) << "eight pages in turn and room for four";
}

TEST(AnSmThatKnowsSynonyms, LoadsThemAsFastAsTheirLeadingNames) {
  EXPECT_EQ(SynonymChase(Changes{{"sm.mmu.synonyms", "8"}}).latency(), average_load_latency(chase({}, 8)));
}

TEST(AnSmThatKnowsSynonyms, StoresUnderTheNameThatTheProgramGives) {
  for (const unsigned written : {0u, 1u}) {
    TwoNames names(virtual_machine({{"sm.mmu.rw_synonyms", "replay"}, {"sm.mmu.synonyms", "8"}}));
    for (int round = 0; round < 3; ++round) ASSERT_NO_THROW((void)names.run(names.name(written)));
    TwoNames faults(virtual_machine({{"sm.mmu.synonyms", "8"}}));
    EXPECT_THROW((void)faults.run(faults.name(written)), UserError);
  }
}

TEST(AVirtualL1AndL2, CostWhatTheirLatenciesSayWhereTheyHit) {
  const auto lap = [](const Changes& changes, std::uint32_t laps) {
    return run_chase(virtual_machine(changes), "ld.global.u64", 8, 4096 + 256, 8 * laps)
        .counters.at("gpu.sm.load_latency");
  };
  const auto l1_hit = [&](const Changes& changes) {
    return static_cast<double>(lap(changes, 2) - lap(changes, 1)) / 8;
  };
  EXPECT_EQ(l1_hit({}), l1_hit(kPhysical));
  EXPECT_EQ(l1_hit({{"sm.l1.latency", "41"}}) - l1_hit({{"sm.l1.latency", "30"}}), 11);
  const double hit = average_load_latency(chase({}, 8));
  EXPECT_EQ(average_load_latency(chase({{"network.latency", "17"}}, 8)) - hit, 2 * (17 - kNetwork));
  EXPECT_EQ(
      average_load_latency(chase({{"l2.latency", "100"}}, 8)) - average_load_latency(chase({{"l2.latency", "90"}}, 8)),
      10);
}

TEST(ATableThatCountsLines, HasOneEntryForALargePage) {
  const Changes large{{"vm.page", "2m"}};
  Changes counted = large;
  counted.emplace_back("mmu.forward_backward.large_pages", "counter");
  EXPECT_EQ(chase(large, 8).counters.at("gpu.mmu.table.allocated"), 0u) << "all of them in the lap before";
  const auto entries = [](const Changes& changes) {
    runtime::Device::Options options;
    options.gpu = virtual_machine(changes);
    options.gpu = virtual_machine(changes);
    runtime::Device device(options);
    const runtime::Kernel kernel = device.load(chase_ptx("ld.global.u64"), "chase.ptx").kernel("chase");
    const Ring ring(device, 8, 4096 + 128);
    const runtime::DeviceArray<std::uint64_t> out(device, 1);
    return device.launch(kernel, {1, 1, 1}, {1, 1, 1}, 0, ring.start(), out.address(), std::uint32_t{8})
        .counters.at("gpu.mmu.table.allocated");
  };
  EXPECT_EQ(entries(counted), 1u) << "the ring and the result lie in one page";
  EXPECT_EQ(entries(large), 8u + 1u) << "parts of 4 KiB";
}

/// A host does this to the first page of 2 MiB while eight of its lines are read over and over.
NamedCounters large_page_with_host(const char* large_pages, const std::string& script) {
  runtime::Device::Options options;
  options.gpu = virtual_machine({{"vm.page", "2m"},
                                 {"check_lines", "true"},
                                 {"mmu.forward_backward.large_pages", large_pages},
                                 {"mmu.forward_backward.host.script", script}});
  runtime::Device device(options);
  const runtime::Kernel kernel = device.load(chase_ptx("ld.volatile.global.u64"), "chase.ptx").kernel("chase");
  const Ring ring(device, 8, 4096 + 128);
  const runtime::DeviceArray<std::uint64_t> out(device, 1);
  EXPECT_EQ(ring.start(), 0x100000000u);
  return device.launch(kernel, {1, 1, 1}, {1, 1, 1}, 0, ring.start(), out.address(), std::uint32_t{200}).counters;
}

TEST(ATableThatCountsLines, StopsCoherenceRequestsOnlyWhereNothingIsCached) {
  const char* script = "9000 read 0x100000f80";  // a line that nobody reads, of a page with others
  EXPECT_EQ(large_page_with_host("subpages", script).at("gpu.mmu.table.probes_filtered"), 1u);
  EXPECT_EQ(large_page_with_host("counter", script).at("gpu.mmu.table.probes_filtered"), 0u);
  EXPECT_EQ(large_page_with_host("counter", "1 read 0x100000f80").at("gpu.mmu.table.probes_filtered"), 1u);
}

TEST(ATableThatCountsLines, LooksAtAllTagsToMakeAPageGo) {
  const auto counters = large_page_with_host("counter", "9000 shootdown 0x100000000");
  EXPECT_EQ(counters.at("gpu.mmu.table.sweeps"), 1u);
  EXPECT_EQ(counters.at("gpu.mmu.table.shootdown_hits"), 1u);
  EXPECT_GE(counters.at("gpu.mmu.table.invalidated"), 8u);
  // Two slices of 64 sets; lines leave in the turn of their set.
  const auto bits = large_page_with_host("subpages", "9000 shootdown 0x100000000");
  EXPECT_EQ(bits.at("gpu.mmu.table.sweeps"), 0u);
  EXPECT_GT(counters.at("gpu.mmu.table.shootdown_latency"), bits.at("gpu.mmu.table.shootdown_latency"));
  EXPECT_EQ(counters.at("gpu.mmu.table.invalidated"), bits.at("gpu.mmu.table.invalidated"))
      << "all parts of the page, one by one or together";
}

TEST(ATableThatCountsLines, IsRightInCheckedRunsUnderAHostThatDoesEverything) {
  const std::vector<std::pair<const char*, const char*>> kinds{
      {"subpages", "128"}, {"counter", "128"}, {"counter", "32"}};
  for (const auto& [large_pages, sectors] : kinds) {
    Checked run(with({{"vm.page", "2m"},
                      {"l2.sector_bytes", sectors},
                      {"sm.l1.sector_bytes", sectors},
                      {"mmu.forward_backward.large_pages", large_pages},
                      {"mmu.forward_backward.entries", "4"},
                      {"mmu.forward_backward.ways", "2"},
                      {"vm.faults.minor", "100"},
                      {"vm.faults.major", "300"},
                      {"mmu.forward_backward.host.interval", "300"},
                      {"mmu.forward_backward.host.operations", "read write shootdown flush move protect evict"}}),
                2);
    for (const std::uint32_t step : {1u, 33u}) ASSERT_NO_THROW(run.launch(step, 12)) << large_pages;
    EXPECT_GT(sim::totals(run.gpu().statistics()).at("gpu.page_changes.moved"), 0u);
  }
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
                            {{"vm.page", "2m"}, {"mmu.forward_backward.large_pages", "counter"}},
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
