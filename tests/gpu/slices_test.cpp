// L2 slices and DRAM channels as shards of their own.
#include <gtest/gtest.h>

#include <map>

#include "small_gpu.h"
#include "workloads/workload.h"

namespace heddle::test {
namespace {

double chase_latency(const char* slices) {
  const auto gpu = small_gpu();
  gpu->set_text("l2.miss_latency", "61");
  gpu->set_text("l2.slices", slices);
  gpu->set_text("dram.row_policy", "closed");
  const auto launch = run_chase(gpu, "ld.global.cg.u64", 2048, 4096, 2048);
  EXPECT_GE(launch.counters.at("gpu.l2.misses"), 2040u);
  return average_load_latency(launch);
}

TEST(Slices, ReachTheirChannelInTheSameTimeWhetherTheyAreOneShardWithItOrTwo) {
  EXPECT_EQ(chase_latency("1"), chase_latency("0"));
}

TEST(Slices, ReachAnyChannelWithTheSameAnswerForAnyNumberOfThreads) {
  for (const char* name : {"bfs", "histogram", "vectoradd"}) {
    std::map<std::string, std::uint64_t> first;
    for (unsigned threads = 1; threads <= 3; ++threads) {
      const auto gpu = small_gpu();
      gpu->set_text("sms", "3");
      gpu->set_text("memory.partitions", "2");
      gpu->set_text("l2.slices", "5");
      gpu->set_text("l2.kib", "8");
      gpu->set_text("l2.miss_latency", "40");
      runtime::Device::Options options;
      options.gpu = gpu;
      options.threads = threads;
      runtime::Device device(options);
      const workloads::Workload& workload = *workloads::find(name);
      EXPECT_TRUE(workload.run(device, {workload.sizes().front().elements, 1}).passed) << name;
      const auto counters = sim::totals(device.gpu()->statistics());
      EXPECT_GT(counters.at("gpu.dram.reads"), 0u);
      EXPECT_EQ(counters.at("gpu.l2.dram_reads"), counters.at("gpu.dram.reads") + counters.at("gpu.dram.forwarded"));
      if (threads == 1) first = counters;
      EXPECT_EQ(counters, first) << name << " with " << threads;
    }
  }
}

}  // namespace
}  // namespace heddle::test
