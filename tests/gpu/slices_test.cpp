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

/// Counters of a run on a GPU of five SMs, after these changes.
std::map<std::string, std::uint64_t> counters_of(const std::vector<std::pair<std::string, std::string>>& changes,
                                                 unsigned threads) {
  const auto gpu = small_gpu();
  gpu->set_text("sms", "5");
  gpu->set_text("memory.partitions", "2");
  gpu->set_text("check_lines", "true");
  for (const auto& [path, value] : changes) gpu->set_text(path, value);
  runtime::Device::Options options;
  options.gpu = gpu;
  options.threads = threads;
  runtime::Device device(options);
  const workloads::Workload& workload = *workloads::find("vectoradd");
  EXPECT_TRUE(workload.run(device, {8192, 1}).passed);
  return sim::totals(device.gpu()->statistics());
}

TEST(TheNetwork, InClustersOrAtAnotherClockGivesTheSameAnswerForAnyNumberOfThreads) {
  const auto plain = counters_of({}, 1);
  for (const char* change : {"network.cluster_sms", "network.clock_mhz"}) {
    const char* value = std::string(change) == "network.cluster_sms" ? "3" : "250";
    const auto one = counters_of({{change, value}}, 1);
    EXPECT_EQ(one.at("gpu.sm.instructions"), plain.at("gpu.sm.instructions"));
    EXPECT_GT(one.at("gpu.cycles"), plain.at("gpu.cycles")) << change << ": there is less room";
    for (const unsigned threads : {2u, 3u}) EXPECT_EQ(counters_of({{change, value}}, threads), one) << change;
  }
}

TEST(TheNetwork, InClustersCostsNothingWhenOneSmIsAlone) {
  for (const char* cluster : {"1", "4"}) {
    const auto gpu = small_gpu();
    gpu->set_text("network.cluster_sms", cluster);
    static double first = 0;
    const double latency = average_load_latency(run_chase(gpu, "ld.global.cg.u64", 64, 128, 64));
    if (first == 0) first = latency;
    // The packet and its answer, of 8 and 40 bytes at 32 bytes per cycle, each pass a second port.
    EXPECT_EQ(latency, std::string(cluster) == "1" ? first : first + 1 + 2);
  }
}

}  // namespace
}  // namespace heddle::test
