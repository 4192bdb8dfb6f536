// Memory instructions that wait to issue (sm.waiting_study), counted on kernels whose waits are known.
#include <gtest/gtest.h>

#include "small_gpu.h"
#include "workloads/workload.h"

namespace heddle::test {
namespace {

/// Eight warps come to their loads at once; each is of a line of its own.
const char* const kEightLoads = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry eight_loads(.param .u64 A)
{
  .reg .pred p;
  .reg .b32 t, v;
  .reg .b64 a, o;
  ld.param.u64 a, [A];
  mov.u32 t, %tid.x;
  mul.wide.u32 o, t, 4;
  add.u64 a, a, o;
  bar.sync 0;
  ld.global.u32 v, [a];
  setp.eq.u32 p, v, 12345;
  @p trap;
  ret;
}
)";

std::shared_ptr<gpu::GpuParameters> studied() {
  auto gpu = small_gpu();
  gpu->set_text("sm.waiting_study", "true");
  return gpu;
}

runtime::LaunchStatistics load_by_eight(const std::shared_ptr<gpu::GpuParameters>& gpu) {
  runtime::Device::Options options;
  options.gpu = gpu;
  runtime::Device device(options);
  const runtime::Module module = device.load(kEightLoads, "eight_loads.ptx");
  const runtime::DeviceArray<std::uint32_t> data(device, 256);
  return device.launch(module.kernel("eight_loads"), {1, 1, 1}, {256, 1, 1}, 0, data.address());
}

double per_miss(const runtime::LaunchStatistics& run, const std::string& counter) {
  return static_cast<double>(run.counters.at("gpu.sm.waiting_study." + counter)) *
         static_cast<double>(run.counters.at("gpu.sm.l1_fills")) /
         static_cast<double>(run.counters.at("gpu.sm.l1_miss_latency"));
}

TEST(WaitingStudy, CountsWarpsThatWaitForTheLoadStoreUnitAndTheCyclesInWhichTheL1IsFull) {
  // One miss at a time, and room for one instruction before it: when the first miss is out, the second load is at the
  // L1, the third in the queue, and five wait. With each answer it is one less.
  const auto gpu = studied();
  gpu->set_text("sm.l1.mshrs", "1");
  gpu->set_text("sm.memory_queue", "2");
  const runtime::LaunchStatistics run = load_by_eight(gpu);
  EXPECT_NEAR(per_miss(run, "waiting"), 5 + 4 + 3 + 2 + 1, 2.5);
  EXPECT_NEAR(per_miss(run, "some"), 5, 0.5);
  EXPECT_NEAR(per_miss(run, "full"), 7, 0.7);
  EXPECT_EQ(run.counters.at("gpu.sm.waiting_study.full"), run.counters.at("gpu.sm.stall_miss_table"));
}

TEST(WaitingStudy, FindsNextToNothingWhereTheUnitTakesAllAtOnce) {
  const runtime::LaunchStatistics run = load_by_eight(studied());
  EXPECT_LT(per_miss(run, "waiting"), 1) << "two schedulers and one unit: some wait for some cycles";
  EXPECT_EQ(run.counters.at("gpu.sm.waiting_study.full"), 0u);
  // An address computation of eight warps, and moves.
  EXPECT_GT(run.counters.at("gpu.sm.waiting_study.other_lanes"), 2u * 256);
  EXPECT_EQ(run.counters.at("gpu.sm.waiting_study.full_lanes"), 0u);
}

TEST(WaitingStudy, ChangesNoCycleAndSharesOutAllArithmetic) {
  for (const char* coalescer : {"intra", "warppool"}) {
    std::map<std::string, runtime::LaunchStatistics> runs;
    for (const char* study : {"false", "true"}) {
      const auto gpu = std::make_shared<gpu::GpuParameters>();
      gpu->set_text("sms", "2");
      gpu->set_text("sm.coalescer", coalescer);
      gpu->set_text("sm.waiting_study", study);
      runtime::Device::Options options;
      options.gpu = gpu;
      runtime::Device device(options);
      workloads::Request request;
      const workloads::Workload* spmv = workloads::find("spmv");
      ASSERT_NE(spmv, nullptr);
      request.elements = spmv->sizes().front().elements;
      ASSERT_TRUE(spmv->run(device, request).passed);
      runs[study] = device.launches().front();
    }
    EXPECT_EQ(runs["false"].cycles, runs["true"].cycles);
    EXPECT_FALSE(runs["false"].counters.contains("gpu.sm.waiting_study.some"));
    const auto& counters = runs["true"].counters;
    std::uint64_t lanes = 0;
    for (const char* pipe : {"integer", "single", "double", "special"})
      lanes += counters.at(std::string("gpu.sm.") + pipe + "_lanes");
    EXPECT_EQ(counters.at("gpu.sm.waiting_study.full_lanes") + counters.at("gpu.sm.waiting_study.other_lanes"), lanes);
    EXPECT_LE(counters.at("gpu.sm.waiting_study.some"), counters.at("gpu.sm.active_cycles"));
    EXPECT_GE(counters.at("gpu.sm.waiting_study.waiting"), counters.at("gpu.sm.waiting_study.some"));
  }
}

}  // namespace
}  // namespace heddle::test
