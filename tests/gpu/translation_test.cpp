// Address translation in a whole GPU: exact costs, correctness under faults and shootdowns, every workload.
#include <gtest/gtest.h>

#include "small_gpu.h"
#include "workloads/workload.h"

namespace heddle::test {
namespace {

using Changes = std::vector<std::pair<std::string, std::string>>;

std::shared_ptr<gpu::GpuParameters> with(std::shared_ptr<gpu::GpuParameters> gpu, const Changes& changes) {
  gpu->set_text("vm.check", "true");
  for (const auto& [path, value] : changes) gpu->set_text(path, value);
  return gpu;
}

const Changes kPrivate{{"sm.mmu.kind", "tlb"}, {"sm.mmu.policy", "independent"}, {"sm.mmu.tlb.latency", "3"}};
const Changes kBlocking{{"sm.mmu.kind", "tlb"},       {"sm.mmu.policy", "blocking"}, {"sm.mmu.by_page", "true"},
                        {"sm.mmu.tlb.entries", "16"}, {"sm.mmu.tlb.ways", "4"},      {"sm.mmu.tlb.ports", "4"},
                        {"sm.mmu.tlb.latency", "0"}};
const Changes kOverlap{{"sm.mmu.kind", "tlb"},       {"sm.mmu.policy", "overlap"},        {"sm.mmu.by_page", "true"},
                       {"sm.mmu.tlb.entries", "16"}, {"sm.mmu.walker.kind", "scheduled"}, {"sm.mmu.tlb.ports", "4"}};
const Changes kShared{{"sm.mmu.kind", "tlb"},
                      {"sm.mmu.walks", "shared"},
                      {"sm.mmu.tlb.entries", "8"},
                      {"mmu.walker.walks", "4"},
                      {"mmu.walker.cache.kind", "physical"},
                      {"mmu.tlb.entries", "32"},
                      {"mmu.prefetch", "4"}};

const Changes kPerLane{{"sm.mmu.kind", "tlb"}, {"sm.mmu.per_lane", "true"}, {"sm.mmu.tlb.entries", "2"}};

/// Average load latency of a chase over so many pages, one pointer in each, after a lap that warms everything.
double chase_latency(const Changes& changes, std::size_t pages) {
  return average_load_latency(
      run_chase(with(small_gpu(), changes), "ld.global.u64", pages, 4096 + 128, static_cast<std::uint32_t>(pages)));
}

TEST(Translation, ATlbHitCostsItsLatencyAndNothingElse) {
  EXPECT_EQ(chase_latency(kPrivate, 8), chase_latency({}, 8) + 3);
  EXPECT_EQ(chase_latency(kBlocking, 8), chase_latency({}, 8));
}

TEST(Translation, TheIdealUnitCostsNothingOnceItHasSeenAPage) {
  EXPECT_EQ(chase_latency({{"sm.mmu.kind", "ideal"}}, 8), chase_latency({}, 8));
}

TEST(Translation, AMissCostsFourReadsOfTheL2) {
  // One entry: every load misses. Page tables stay in the L2.
  Changes one = kPrivate;
  one.emplace_back("sm.mmu.tlb.entries", "1");
  const double miss = chase_latency(one, 8) - chase_latency({}, 8);
  // What an L2 hit of 32 bytes takes, measured by a chase that goes around the L1.
  const double read = average_load_latency(run_chase(small_gpu(), "ld.global.cg.u64", 8, 128, 8));
  EXPECT_NEAR(miss, 4 * read, 12);  // the load/store unit's own cycles are not in a walk's read
}

// Every lane loads from a page of its own, twice.
constexpr const char* kTwice = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry twice(.param .u64 A)
{
  .reg .b32 t, x;
  .reg .b64 a, w;
  ld.param.u64 a, [A];
  mov.u32 t, %tid.x;
  mul.wide.u32 w, t, 4096;
  add.u64 a, a, w;
  ld.global.u32 x, [a];
  st.global.u32 [a+4], x;
  ld.global.u32 x, [a+256];
  st.global.u32 [a+8], x;
  ret;
}
)";

// Each SM loads from a page of its own; the pages are neighbours.
constexpr const char* kNeighbours = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry neighbours(.param .u64 A)
{
  .reg .b32 b, x;
  .reg .b64 a, w;
  ld.param.u64 a, [A];
  mov.u32 b, %ctaid.x;
  mul.wide.u32 w, b, 4096;
  add.u64 a, a, w;
  ld.global.u32 x, [a];
  st.global.u32 [a+4], x;
  ret;
}
)";

TEST(Translation, ASharedWalkerSchedulesWalksOfSeveralSmsTogether) {
  const auto counters = [](const Changes& changes) {
    runtime::Device::Options options;
    const auto gpu = with(small_gpu(), changes);
    gpu->set_text("sms", "4");
    options.gpu = gpu;
    runtime::Device device(options);
    const runtime::DeviceArray<std::uint8_t> memory(device, 4 * 4096);
    return device
        .launch(device.load(kNeighbours, "neighbours.ptx").kernel("neighbours"), {4, 1, 1}, {1, 1, 1}, 0,
                memory.address())
        .counters;
  };
  const auto alone = counters({{"sm.mmu.kind", "tlb"}, {"sm.mmu.walker.kind", "scheduled"}});
  EXPECT_EQ(alone.at("gpu.sm.mmu.walker.walks"), 4u);
  EXPECT_EQ(alone.at("gpu.sm.mmu.walker.reads_saved"), 0u) << "each SM has one miss";
  EXPECT_EQ(alone.at("gpu.sm.mmu.walker.reads"), 16u);
  const auto together = counters({{"sm.mmu.kind", "tlb"},
                                  {"sm.mmu.walks", "shared"},
                                  {"mmu.walker.kind", "scheduled"},
                                  {"mmu.walker.walks", "8"}});
  EXPECT_EQ(together.at("gpu.mmu.walker.walks"), 4u);
  // The first goes by itself. The three others wait meanwhile and then have the upper entries in common.
  EXPECT_EQ(together.at("gpu.mmu.walker.reads_saved"), 6u);
  EXPECT_EQ(together.at("gpu.mmu.walker.reads"), 4u + 3u + 3u);
}

TEST(Translation, OfEachLaneKnowsThePageOfTheLaneHoweverManyThereAre) {
  const auto misses = [](Changes changes) {
    changes.emplace_back("sm.mmu.tlb.entries", "1");
    runtime::Device::Options options;
    options.gpu = with(small_gpu(), changes);
    runtime::Device device(options);
    const runtime::DeviceArray<std::uint8_t> memory(device, 32 * 4096);
    return device.launch(device.load(kTwice, "twice.ptx").kernel("twice"), {1, 1, 1}, {32, 1, 1}, 0, memory.address())
        .counters.at("gpu.sm.mmu.misses");
  };
  EXPECT_EQ(misses(kPerLane), 32u) << "each lane misses once";
  EXPECT_GT(misses(kPrivate), 64u) << "one entry for all";
}

TEST(Watchdog, EndsARunThatIsBusyAndGetsNothingDone) {
  // Walks take longer than the time between two flushes: each starts anew for ever.
  Changes flushed = kPrivate;
  flushed.emplace_back("vm.flush_interval", "20");
  flushed.emplace_back("watchdog", "20000");
  try {
    (void)chase_latency(flushed, 8);
    FAIL() << "nothing was noticed";
  } catch (const UserError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("no progress: at cycle "), std::string::npos) << text;
    EXPECT_NE(text.find("for 20000 cycles (watchdog); TLBs are flushed every 20 cycles (vm.flush_interval)"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("SM 0: 1 warps"), std::string::npos) << text;
  }
}

TEST(Watchdog, DoesNotCountTheTimeThatTheHostTakesForAFault) {
  Changes lazy = kPrivate;
  lazy.emplace_back("vm.lazy", "true");
  lazy.emplace_back("watchdog", "4000");
  lazy.emplace_back("vm.faults.minor", "30000");
  EXPECT_NO_THROW((void)chase_latency(lazy, 4));
}

TEST(Translation, WalksAndRequestsThatFindNoRoomWaitAndAreCounted) {
  for (const Changes* design : {&kPrivate, &kShared}) {
    Changes narrow = *design;
    narrow.emplace_back("sm.mmu.walker.queue", "1");
    narrow.emplace_back("mmu.walker.queue", "1");
    narrow.emplace_back("mmu.per_sm", "2");
    const workloads::Workload& workload = *workloads::find("gups");
    std::uint64_t cycles[2];
    for (const bool bounded : {false, true}) {
      const auto gpu = with(small_gpu(), bounded ? narrow : *design);
      gpu->set_text("sm.mmu.tlb.entries", "2");
      runtime::Device::Options options;
      options.gpu = gpu;
      runtime::Device device(options);
      EXPECT_TRUE(workload.run(device, {workload.sizes().front().elements, 1}).passed);
      const auto counters = sim::totals(device.gpu()->statistics());
      EXPECT_EQ(counters.at("gpu.sm.mmu.stall_walker") > 0, bounded);
      cycles[bounded ? 1 : 0] = counters.at("gpu.cycles");
    }
    EXPECT_GT(cycles[1], cycles[0]);
  }
}

TEST(Translation, LargePagesWalkThreeLevels) {
  Changes one = kPrivate;
  one.emplace_back("sm.mmu.tlb.entries", "1");
  Changes large = one;
  large.emplace_back("vm.page", "2m");
  const auto misses = [](const Changes& changes) {
    return average_load_latency(
        run_chase(with(small_gpu(), changes), "ld.global.u64", 4, (std::size_t{1} << 21) + 128, 4));
  };
  const double small = misses(one) - chase_latency({}, 8);
  const double few = misses(large) - chase_latency({}, 8);
  EXPECT_NEAR(few / small, 0.75, 0.02);
}

struct Design {
  const char* name;
  const Changes* changes;
};

class EveryDesign : public testing::TestWithParam<Design> {};

/// Increments each of N words; the host does something to the pages while it runs.
void increment_while(const Changes& changes, const std::function<void(runtime::Device&, std::uint64_t)>& act) {
  constexpr const char* kPtx = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry increment(.param .u64 A, .param .u32 M)
{
  .reg .pred p;
  .reg .b32 t, b, m, v;
  .reg .b64 a, o;
  ld.param.u64 a, [A];
  ld.param.u32 m, [M];
  mov.u32 t, %tid.x;
  mov.u32 b, %ctaid.x;
  mad.lo.u32 t, b, 32, t;
  mul.wide.u32 o, t, 1024;
  add.u64 a, a, o;
AGAIN:
  ld.global.u32 v, [a];
  add.u32 v, v, 1;
  st.global.u32 [a], v;
  sub.u32 m, m, 1;
  setp.ne.u32 p, m, 0;
  @p bra AGAIN;
  ret;
}
)";
  runtime::Device::Options options;
  options.gpu = with(small_gpu(), changes);
  runtime::Device device(options);
  const runtime::Kernel kernel = device.load(kPtx, "increment.ptx").kernel("increment");
  constexpr std::uint32_t kThreads = 256;
  const runtime::DeviceArray<std::uint32_t> array(device, std::size_t{kThreads} * 256);
  const runtime::DeviceAddress address = array.address();
  const std::uint32_t times = 20;
  const std::array<std::span<const std::byte>, 2> arguments{std::as_bytes(std::span(&address, 1)),
                                                            std::as_bytes(std::span(&times, 1))};
  device.launch_async(0, kernel, {kThreads / 32, 1, 1}, {32, 1, 1}, 0, arguments);
  unsigned acted = 0;
  while (!device.idle(0)) {
    act(device, array.address());
    ++acted;
  }
  EXPECT_GT(acted, 2u);
  const std::vector<std::uint32_t> values = array.download();
  for (std::size_t t = 0; t < kThreads; ++t) ASSERT_EQ(values[t * 256], times) << t;
}

TEST_P(EveryDesign, LosesNothingWhenPagesMoveWhileAKernelRuns) {
  increment_while(*GetParam().changes,
                  [](runtime::Device& device, std::uint64_t address) { device.migrate(address, 64 * 4096); });
}

TEST_P(EveryDesign, LosesNothingWhenPagesGoToDiskWhileAKernelRuns) {
  Changes changes = *GetParam().changes;
  changes.emplace_back("vm.faults.major", "700");
  unsigned page = 0;
  increment_while(changes, [&](runtime::Device& device, std::uint64_t address) {
    device.evict(address + page++ % 64 * 4096, 4096);
  });
}

TEST_P(EveryDesign, ServesFaultsOfPagesThatWereNeverTouched) {
  Changes changes = *GetParam().changes;
  changes.emplace_back("vm.lazy", "true");
  changes.emplace_back("vm.faults.minor", "300");
  increment_while(changes, [](runtime::Device&, std::uint64_t) {});
}

TEST_P(EveryDesign, AnAliasNamesTheSameBytes) {
  runtime::Device::Options options;
  options.gpu = with(small_gpu(), *GetParam().changes);
  runtime::Device device(options);
  const runtime::Module module = device.load(chase_ptx("ld.global.u64"), "chase.ptx");
  const runtime::DeviceArray<std::uint64_t> first(device, 512);
  const runtime::DeviceArray<std::uint64_t> second(device, 512);
  device.alias(second.address(), first.address(), 4096);
  // A pointer to itself in the first page, followed through the second.
  const std::vector<std::uint64_t> pointer{second.address()};
  device.copy_to_device(first.address(), pointer.data(), 8);
  device.launch(module.kernel("chase"), {1, 1, 1}, {1, 1, 1}, 0, second.address(), first.address() + 8,
                std::uint32_t{3});
  EXPECT_EQ(second.download()[1], second.address());
}

TEST_P(EveryDesign, AStoreToAReadOnlyPageEndsTheKernelWithAReport) {
  runtime::Device::Options options;
  options.gpu = with(small_gpu(), *GetParam().changes);
  runtime::Device device(options);
  const runtime::Module module = device.load(chase_ptx("ld.global.u64"), "chase.ptx");
  const Ring ring(device, 4, 128);
  const runtime::DeviceArray<std::uint64_t> out(device, 512);
  device.protect(out.address(), 4096, false);
  try {
    device.launch(module.kernel("chase"), {1, 1, 1}, {1, 1, 1}, 0, ring.start(), out.address(), std::uint32_t{3});
    FAIL() << "the store went through";
  } catch (const runtime::LaunchError& error) {
    EXPECT_EQ(error.cuda_error(), 700);
    EXPECT_NE(std::string(error.what()).find("read-only"), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Designs, EveryDesign,
                         testing::Values(Design{"Private", &kPrivate}, Design{"Blocking", &kBlocking},
                                         Design{"Overlap", &kOverlap}, Design{"Shared", &kShared},
                                         Design{"PerLane", &kPerLane}),
                         [](const auto& instance) { return std::string(instance.param.name); });

/// The checker is on: every translation that is used is compared with the page table.
class EveryWorkloadTranslated : public testing::TestWithParam<const workloads::Workload*> {};

std::map<std::string, std::uint64_t> run_translated(const workloads::Workload& workload, const Changes& changes,
                                                    unsigned threads) {
  auto gpu = std::make_shared<gpu::GpuParameters>();
  gpu->set_text("sms", "4");
  gpu->set_text("memory.partitions", "3");
  runtime::Device::Options options;
  options.gpu = with(gpu, changes);
  options.threads = threads;
  runtime::Device device(options);
  workloads::Request request;
  request.elements = workload.sizes().front().elements;
  const workloads::Outcome outcome = workload.run(device, request);
  EXPECT_TRUE(outcome.passed) << outcome.detail;
  return sim::totals(device.gpu()->statistics());
}

TEST_P(EveryWorkloadTranslated, ComputesTheSameWithFaultsFlushesAndScatteredFrames) {
  Changes changes = kShared;
  changes.insert(changes.end(), {{"vm.lazy", "true"},
                                 {"vm.faults.minor", "200"},
                                 {"vm.flush_interval", "5000"},
                                 {"vm.frames.allocation", "scattered"}});
  const auto one = run_translated(*GetParam(), changes, 1);
  EXPECT_EQ(one, run_translated(*GetParam(), changes, 2));
}

TEST_P(EveryWorkloadTranslated, ComputesTheSameBehindABlockingTlb) { (void)run_translated(*GetParam(), kBlocking, 1); }

INSTANTIATE_TEST_SUITE_P(Bundled, EveryWorkloadTranslated, testing::ValuesIn(workloads::all()),
                         [](const auto& instance) { return std::string(instance.param->name()); });

}  // namespace
}  // namespace heddle::test
