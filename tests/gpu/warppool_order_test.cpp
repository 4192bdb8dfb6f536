// WarpPool and MRPB under thread block compaction: threads go from slot to slot, and their accesses keep their order.
// And the ways to keep that order that WarpPool has.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/diagnostics.h"
#include "small_gpu.h"
#include "workloads/workload.h"

namespace heddle::test {
namespace {

// The threads of the second warp load, each from its own place: two lines, of which lanes use words backwards. Then
// they alone go another way, for which they are put into the first slot, and write where they have read from.
constexpr const char* kOtherSlot = R"(.version 7.0
.target sm_50
.address_size 64
.visible .entry other_slot(.param .u64 A, .param .u64 D)
{
  .reg .pred p;
  .reg .b32 t, back, x, y;
  .reg .b64 a, d, o;
  ld.param.u64 a, [A];
  ld.param.u64 d, [D];
  mov.u32 t, %tid.x;
  mov.u32 x, 5;
  mov.u32 y, 100;
  sub.u32 back, 63, t;
  mul.wide.u32 o, back, 8;
  add.u64 a, a, o;
  mul.wide.u32 o, t, 4;
  add.u64 d, d, o;
  setp.lt.u32 p, t, 32;
  bar.sync 0;
  @!p ld.global.u32 y, [a];
  @p bra MEET;
  st.global.u32 [a], x;
MEET:
  add.u32 y, y, 1;
  st.global.u32 [d], y;
  ret;
}
)";

class CompactedOrder : public ::testing::TestWithParam<const char*> {};

TEST_P(CompactedOrder, OfAThreadThatGoesToAnotherSlotIsKept) {
  const auto gpu = small_gpu();
  gpu->set_text("check_lines", "true");
  gpu->set_text("sm.divergence", "tbc");
  gpu->set_text("sm.coalescer", GetParam());
  // The second line of the load waits in its coalescer until the first has come: longer than the way to the store.
  gpu->set_text("sm.warppool.map_entries", "1");
  runtime::Device::Options options;
  options.gpu = gpu;
  runtime::Device device(options);
  runtime::DeviceArray<std::uint32_t> data(device, 128);
  runtime::DeviceArray<std::uint32_t> out(device, 64);
  std::vector<std::uint32_t> values(128);
  for (std::uint32_t i = 0; i < 128; ++i) values[i] = i;
  data.upload(values);
  const runtime::Module module = device.load(kOtherSlot, "other_slot.ptx");
  ASSERT_NO_THROW(device.launch(module.kernel("other_slot"), {1, 1, 1}, {64, 1, 1}, 0, data.address(), out.address()));
  const auto& counters = device.launches().back().counters;
  EXPECT_EQ(counters.at(std::string("gpu.sm.tbc.blocks")), 1u) << "the block was compacted";
  const std::vector<std::uint32_t> loaded = out.download();
  const std::vector<std::uint32_t> written = data.download();
  for (std::uint32_t t = 0; t < 64; ++t) {
    EXPECT_EQ(loaded[t], t < 32 ? 101u : (63 - t) * 2 + 1) << t;
    EXPECT_EQ(written[(63 - t) * 2], t < 32 ? (63 - t) * 2 : 5u) << t;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, CompactedOrder, testing::Values("intra", "mrpb", "warppool"));

/// Kernels whose blocks are compacted, and whose loads meet across warps.
class CompactedPool : public ::testing::TestWithParam<const char*> {};

TEST_P(CompactedPool, ComputesTheSameWithEverySmallQueueAndMergesLoadsOfDynamicWarps) {
  std::map<std::string, std::uint64_t> counters;
  for (const char* divergence : {"tbc", "tbc-tlb", "tbc-oracle"}) {
    const auto gpu = small_gpu();
    gpu->set_text("sms", "2");
    gpu->set_text("check_lines", "true");
    gpu->set_text("sm.divergence", divergence);
    gpu->set_text("sm.coalescer", "warppool");
    gpu->set_text("sm.mmu.kind", "tlb");
    gpu->set_text("sm.mmu.policy", "overlap");
    for (const char* name : {"depth", "map_entries", "tags"}) gpu->set_text(std::string("sm.warppool.") + name, "1");
    runtime::Device::Options options;
    options.gpu = gpu;
    runtime::Device device(options);
    const workloads::Workload* workload = workloads::find(GetParam());
    ASSERT_NE(workload, nullptr);
    workloads::Request request;
    request.elements = workload->sizes().front().elements;
    EXPECT_TRUE(workload->run(device, request).passed) << divergence;
    for (const runtime::LaunchStatistics& launch : device.launches()) {
      for (const char* name : {"requests", "served"})
        counters[name] += launch.counters.at(std::string("gpu.sm.warppool.") + name);
      std::string unit = std::string("gpu.sm.") + divergence + ".";
      std::replace(unit.begin(), unit.end(), '-', '_');
      counters["mixed"] += launch.counters.at(unit + "compactions") - launch.counters.at(unit + "apart");
    }
  }
  EXPECT_GT(counters["mixed"], 0u) << "dynamic warps of several warps were formed";
  EXPECT_GT(counters["served"], counters["requests"]) << "loads met";
}

INSTANTIATE_TEST_SUITE_P(Of, CompactedPool, testing::Values("bfs", "spmv", "btree"));

/// The ways to keep loads and stores in order that the document compares, with every queue at its smallest.
class PoolOrder : public ::testing::TestWithParam<const char*> {};

TEST_P(PoolOrder, KeepsTheOrderAndComputesTheSame) {
  for (const char* name : {"bfs", "histogram", "scan", "lud"}) {
    const auto gpu = small_gpu();
    gpu->set_text("sms", "2");
    gpu->set_text("check_lines", "true");
    gpu->set_text("sm.coalescer", "warppool");
    gpu->set_text("sm.warppool.order", GetParam());
    for (const char* queue : {"depth", "map_entries", "tags", "slots", "write_back"})
      gpu->set_text(std::string("sm.warppool.") + queue, "1");
    runtime::Device::Options options;
    options.gpu = gpu;
    runtime::Device device(options);
    const workloads::Workload* workload = workloads::find(name);
    ASSERT_NE(workload, nullptr);
    workloads::Request request;
    request.elements = workload->sizes().front().elements;
    EXPECT_TRUE(workload->run(device, request).passed) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, PoolOrder, testing::Values("counters", "flush", "loads-only"), [](const auto& of) {
  std::string name = of.param;
  std::erase(name, '-');
  return name;
});

TEST(PoolOrderNone, IsRefusedInACheckedRun) {
  const auto gpu = small_gpu();
  gpu->set_text("check_lines", "true");
  gpu->set_text("sm.coalescer", "warppool");
  gpu->set_text("sm.warppool.order", "none");
  EXPECT_THROW(gpu::Gpu(*gpu, 1), UserError);
}

}  // namespace
}  // namespace heddle::test
