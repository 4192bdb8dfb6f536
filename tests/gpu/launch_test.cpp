// What a kernel costs beyond its instructions: start and end, blocks, parameters, fetch, barriers, sequences.
#include <gtest/gtest.h>

#include "small_gpu.h"

namespace heddle::test {
namespace {

std::string entry(const std::string& body) {
  return ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 A)\n{\n  .reg .pred p;\n"
         "  .reg .b32 r<9>;\n  .reg .b64 a;\n  .reg .f32 f<4>;\n" +
         body + "  ret;\n}\n";
}

/// Cycles of each of two launches of the kernel.
struct Two {
  runtime::LaunchStatistics first;
  runtime::LaunchStatistics second;
};
Two run_twice(const std::shared_ptr<gpu::GpuParameters>& gpu, const std::string& body, Dim3 grid = {1},
              Dim3 block = {32}) {
  runtime::Device::Options options;
  options.gpu = gpu;
  runtime::Device device(options);
  const runtime::DeviceArray<std::uint32_t> data(device, std::vector<std::uint32_t>(4096, 0));
  const runtime::Kernel kernel = device.load(entry(body), "k").kernel("k");
  const auto launch = [&] { return device.launch(kernel, grid, block, 0, data.address()); };
  Two two;
  two.first = launch();
  two.second = launch();
  return two;
}

std::uint64_t cycles_with(const std::string& key, const std::string& value, const std::string& body, Dim3 grid = {1},
                          Dim3 block = {32}) {
  const auto gpu = small_gpu();
  if (!key.empty()) gpu->set_text(key, value);
  return run_twice(gpu, body, grid, block).second.cycles;
}

TEST(Launch, LatencyAndDrainAreCountedAndTheNextKernelWaitsForTheLatencyOnly) {
  const auto gpu = small_gpu();
  const std::uint64_t quantum = gpu->network.latency;
  const std::uint64_t plain = run_twice(gpu, "").second.cycles;
  gpu->set_text("launch.latency", std::to_string(10 * quantum));
  const std::uint64_t late = run_twice(gpu, "").second.cycles;
  EXPECT_GE(late, plain + 10 * quantum);
  EXPECT_LE(late, plain + 11 * quantum) << "blocks start between quanta";
  gpu->set_text("launch.drain", "333");
  const Two two = run_twice(gpu, "");
  EXPECT_EQ(two.second.cycles, late + 333);
  EXPECT_LT(two.second.started_at, two.first.ended_at);
}

TEST(Launch, BlocksStartOneAfterTheOther) {
  const std::uint64_t at_once = cycles_with("", "", "", {8});
  const std::uint64_t slowly = cycles_with("launch.block_interval", "50", "", {8});
  EXPECT_GE(slowly, at_once + 6 * 50);
  EXPECT_LE(slowly, at_once + 10 * 50);
}

TEST(Launch, TheFirstInstructionThatReadsAParameterWaitsForIt) {
  const std::string reads = "  ld.param.u64 a, [A];\n  st.global.u32 [a], 1;\n";
  EXPECT_EQ(cycles_with("sm.parameter_latency", "160", ""), cycles_with("", "", ""));
  const std::uint64_t without = cycles_with("", "", reads);
  const std::uint64_t with = cycles_with("sm.parameter_latency", "160", reads);
  EXPECT_GE(with, without + 140);
  EXPECT_LE(with, without + 180);
}

TEST(Barriers, CostWhatTheParametersSayForEachWarp) {
  const std::string many = "  bar.sync 0;\n  bar.sync 0;\n  bar.sync 0;\n  bar.sync 0;\n  bar.sync 0;\n";
  const auto cost = [&](unsigned warps) {
    const auto gpu = small_gpu();
    const std::uint64_t before = run_twice(gpu, many, {1}, {warps * 32}).second.cycles;
    gpu->set_text("sm.barrier_latency", "100");
    gpu->set_text("sm.barrier_interval", "10");
    return run_twice(gpu, many, {1}, {warps * 32}).second.cycles - before;
  };
  EXPECT_NEAR(static_cast<double>(cost(1)), 5 * 110, 40);
  EXPECT_NEAR(static_cast<double>(cost(8)), 5 * 180, 60);
}

TEST(Sequences, TakeIssueSlotsAndTheirOwnLatency) {
  const std::string chain =
      "  ld.param.u64 a, [A];\n  ld.global.f32 f0, [a];\n  div.rn.f32 f0, f0, f0;\n  div.rn.f32 f0, f0, f0;\n"
      "  st.global.f32 [a], f0;\n";
  const auto gpu = small_gpu();
  const auto plain = run_twice(gpu, chain).second;
  EXPECT_EQ(plain.counters.at("gpu.sm.issue_slots"), plain.counters.at("gpu.sm.instructions"));
  gpu->set_text("sm.opcodes", "FDIV.F32=224/8/11");
  const auto slow = run_twice(gpu, chain).second;
  EXPECT_EQ(slow.counters.at("gpu.sm.issue_slots"), plain.counters.at("gpu.sm.instructions") + 20);
  EXPECT_NEAR(static_cast<double>(slow.cycles - plain.cycles), 2.0 * (224 - gpu->sm.special.latency), 20);
}

TEST(Fetch, AStreamOfPrefetchesKeepsStraightLineCodeGoing) {
  std::string straight;
  for (int i = 0; i < 8; ++i) straight += "  mov.u32 r" + std::to_string(i) + ", %clock;\n";
  for (int i = 0; i < 800; ++i) {
    const std::string r = "r" + std::to_string(i % 8);
    straight += "  xor.b32 " + r + ", " + r + ", 77;\n";
  }
  for (int i = 1; i < 8; ++i) straight += "  add.u32 r0, r0, r" + std::to_string(i) + ";\n";
  straight += "  ld.param.u64 a, [A];\n  st.global.u32 [a], r0;\n";
  const auto gpu = small_gpu();
  gpu->set_text("sm.instruction_kib", "64");
  gpu->set_text("sm.instruction_mshrs", "64");
  const Two without = run_twice(gpu, straight);
  gpu->set_text("sm.instruction_prefetch", "16");
  const Two with = run_twice(gpu, straight);
  EXPECT_LT(with.first.cycles, without.first.cycles * 9 / 10);
  EXPECT_GT(with.first.counters.at("gpu.sm.instruction_prefetches"), 20u);
  // The cache outlives the launch.
  EXPECT_EQ(with.second.counters.at("gpu.sm.instruction_misses"), 0u);
  EXPECT_EQ(with.second.counters.at("gpu.sm.instruction_prefetches"), 0u);
}

TEST(HostWrites, WhatTheHostCopiedIsInTheL2AndItsFirstReadTakesLonger) {
  runtime::Device::Options options;
  const auto gpu = small_gpu();
  gpu->set_text("l2.host_writes", "true");
  gpu->set_text("l2.copied_latency", "200");
  options.gpu = gpu;
  runtime::Device device(options);
  const Ring ring(device, 16, 128);
  const runtime::DeviceArray<std::uint64_t> result(device, 1);
  const runtime::Kernel kernel = device.load(chase_ptx("ld.global.cg.u64"), "chase").kernel("chase");
  const auto latency = [&] {
    const auto launch = device.launch(kernel, {1}, {1}, 0, ring.start(), result.address(), std::uint32_t{16});
    EXPECT_EQ(launch.counters.at("gpu.l2.misses"), 0u);
    EXPECT_EQ(launch.counters.at("gpu.dram.reads"), 0u);
    return launch.counters.at("gpu.sm.load_latency") / launch.counters.at("gpu.sm.loads");
  };
  const std::uint64_t first = latency();
  EXPECT_EQ(first, latency() + 200);
}

TEST(Launch, TheFirstAccessToMemoryTakesLonger) {
  const std::string reads = "  ld.param.u64 a, [A];\n  ld.global.u32 r0, [a];\n  st.global.u32 [a+8], r0;\n";
  const std::uint64_t without = cycles_with("", "", reads);
  const std::uint64_t with = cycles_with("sm.first_access_latency", "400", reads);
  EXPECT_GE(with, without + 380);
  EXPECT_LE(with, without + 420);
}

TEST(Writes, OfOneLineAreTakenTogether) {
  const std::string same = "  ld.param.u64 a, [A];\n  st.global.u32 [a], 1;\n";
  const std::uint64_t one_by_one = cycles_with("l2.write_merges", "1", same, {200}, {1024});
  const std::uint64_t together = cycles_with("l2.write_merges", "8", same, {200}, {1024});
  EXPECT_LE(together, one_by_one);
  EXPECT_EQ(run_twice(small_gpu(), same, {4}, {1024}).second.counters.at("gpu.l2.writes"), 4u * 32);
}

TEST(FirstSm, GetsTheBlockOfEachSmallKernelIfTold) {
  const auto sm_of_second = [](const char* restart) {
    const auto gpu = small_gpu();
    gpu->set_text("sms", "4");
    gpu->set_text("sharing.all.restart", restart);
    runtime::Device::Options options;
    options.gpu = gpu;
    runtime::Device device(options);
    const runtime::DeviceArray<std::uint32_t> data(device, std::vector<std::uint32_t>(1, 9));
    const runtime::Kernel kernel =
        device.load(entry("  ld.param.u64 a, [A];\n  mov.u32 r1, %smid;\n  st.global.u32 [a], r1;\n"), "k").kernel("k");
    for (int launch = 0; launch < 2; ++launch) device.launch(kernel, {1}, {32}, 0, data.address());
    return data.download()[0];
  };
  EXPECT_EQ(sm_of_second("false"), 1u);
  EXPECT_EQ(sm_of_second("true"), 0u);
}

}  // namespace
}  // namespace heddle::test
