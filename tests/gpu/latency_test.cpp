// Dependent loads cost exactly what the parameters say, level by level.
#include <gtest/gtest.h>

#include "small_gpu.h"

namespace heddle::test {
namespace {

/// Cycles that a packet with this much data occupies a port.
unsigned occupancy(const gpu::GpuParameters& p, unsigned data) {
  return (data + p.network.header_bytes + p.network.bytes_per_cycle - 1) / p.network.bytes_per_cycle;
}

/// From the cycle a load issues to the cycle its data is there, when the L2 has it: one cycle to the load/store unit,
/// out through the port, across, the L2, back through the port, across.
unsigned l2_latency(const gpu::GpuParameters& p) {
  return 1 + occupancy(p, 0) + p.network.latency + p.l2.latency + occupancy(p, 32) + p.network.latency;
}

TEST(LoadLatency, AnL1HitTakesTheL1sLatencyAndOneCycleToGetThere) {
  const auto gpu = small_gpu();
  // Every lap but the first hits; the L1 starts empty with each kernel, so the first lap of the second launch misses.
  const auto laps = [&](std::uint32_t steps) { return run_chase(gpu, "ld.global.u64", 8, 128, steps); };
  const auto one = laps(8);
  const auto many = laps(808);
  const std::uint64_t hits = many.counters.at("gpu.sm.load_latency") - one.counters.at("gpu.sm.load_latency");
  EXPECT_EQ(hits, 800u * (1 + gpu->sm.l1.latency));
  EXPECT_EQ(many.counters.at("gpu.sm.l1_hits"), 800u);
}

TEST(LoadLatency, AnL2HitTakesBothWaysThroughTheNetworkAndTheL2) {
  const auto gpu = small_gpu();
  const auto launch = run_chase(gpu, "ld.global.cg.u64", 64, 128, 64);
  EXPECT_EQ(launch.counters.at("gpu.l2.hits"), 64u);
  EXPECT_EQ(average_load_latency(launch), l2_latency(*gpu));
}

class LatencyParameter : public testing::TestWithParam<const char*> {};

TEST_P(LatencyParameter, MovesTheL2LatencyByExactlyWhatItIsMovedBy) {
  const auto base = small_gpu();
  const auto changed = small_gpu();
  changed->set_text(GetParam(), "77");
  EXPECT_EQ(average_load_latency(run_chase(changed, "ld.global.cg.u64", 32, 128, 32)), l2_latency(*changed));
  EXPECT_EQ(average_load_latency(run_chase(base, "ld.global.cg.u64", 32, 128, 32)), l2_latency(*base));
}
INSTANTIATE_TEST_SUITE_P(All, LatencyParameter, testing::Values("l2.latency", "network.latency"));

TEST(LoadLatency, AMissInTheL2AddsTheWayToDramAndWhatTheDramTimingSays) {
  const auto gpu = small_gpu();
  gpu->set_text("l2.miss_latency", "50");
  gpu->set_text("dram.row_policy", "closed");
  // Far more than the L2 holds, so that every access of the second launch misses; a new row each time.
  const auto launch = run_chase(gpu, "ld.global.cg.u64", 4096, 4096, 4096);
  ASSERT_GE(launch.counters.at("gpu.l2.misses"), 4090u);
  const gpu::GpuParameters& p = *gpu;
  const double beyond = average_load_latency(launch) - l2_latency(p) - p.l2.miss_latency;
  const unsigned dram = p.dram.tRCD_read + p.dram.tCL + p.dram.burst_cycles;
  // Queues between the L2 and DRAM cost a few cycles; nothing else may.
  EXPECT_GE(beyond, dram);
  EXPECT_LE(beyond, dram + 6);
}

TEST(LoadLatency, AnInstructionDependsOnTheOneBeforeForItsPipelinesLatency) {
  const auto gpu = small_gpu();
  // Straight-line code: instructions must not be what is waited for, so the second launch finds them in the cache.
  gpu->set_text("sm.instruction_kib", "64");
  gpu->set_text("sm.fetch_latency", "1");
  const std::string head =
      ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 D)\n{\n.reg .f32 x; .reg .b64 "
      "d;\nld.param.u64 d, [D];\nmov.f32 x, 0f3F800000;\n";
  const auto cycles = [&](int length) {
    std::string text = head;
    for (int i = 0; i < length; ++i) text += "fma.rn.f32 x, x, x, x;\n";
    text += "st.global.f32 [d], x;\nret;\n}\n";
    runtime::Device::Options options;
    options.gpu = gpu;
    runtime::Device device(options);
    const runtime::Module module = device.load(text, "chain.ptx");
    const runtime::DeviceArray<float> out(device, 1);
    for (int pass = 0; pass < 2; ++pass) device.launch(module.kernel("k"), {1, 1, 1}, {1, 1, 1}, 0, out.address());
    return static_cast<double>(device.launches().back().counters.at("gpu.sm.slot_result"));
  };
  // In each of the cycles between an instruction and the next, its scheduler's slot waits for the result.
  EXPECT_EQ(cycles(300) - cycles(100), 200.0 * (gpu->sm.single.latency - 1));
}

}  // namespace
}  // namespace heddle::test
