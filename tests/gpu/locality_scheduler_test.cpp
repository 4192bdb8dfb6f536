// Schedulers that watch lost locality, on whole runs.
#include <gtest/gtest.h>

#include "small_gpu.h"
#include "workloads/workload.h"

namespace heddle::test {
namespace {

using Changes = std::vector<std::pair<std::string, std::string>>;

std::map<std::string, std::uint64_t> run_bfs(const Changes& changes) {
  auto gpu = std::make_shared<gpu::GpuParameters>();
  for (const auto& [path, value] : Changes{{"sms", "2"},
                                           {"memory.partitions", "2"},
                                           {"sm.l1.kib", "4"},
                                           {"sm.mmu.kind", "tlb"},
                                           {"sm.mmu.tlb.entries", "8"},
                                           {"sm.mmu.tlb.ways", "4"}})
    gpu->set_text(path, value);
  for (const auto& [path, value] : changes) gpu->set_text(path, value);
  runtime::Device::Options options;
  options.gpu = gpu;
  runtime::Device device(options);
  const workloads::Workload* workload = workloads::find("bfs");
  EXPECT_TRUE(workload->run(device, {workload->sizes().front().elements, 1}).passed);
  std::map<std::string, std::uint64_t> counted;
  for (const auto& [path, value] : sim::totals(device.gpu()->statistics())) {
    // The scheduler's own under one name, whatever it is called.
    std::string name = path;
    for (const char* own : {"ta_ccws.", "ccws.", "tcws.", "ccws_swl."}) {
      if (const std::size_t at = name.find(own); at != std::string::npos && name[at - 1] == '.')
        name.replace(at, std::string(own).size(), "own.");
    }
    counted[name] = value;
  }
  return counted;
}

TEST(TlbAwareCcws, WithEqualWeightsIsCcwsInEveryCycle) {
  const auto plain = run_bfs({{"sm.scheduler", "ccws"}});
  EXPECT_GT(plain.at("gpu.sm.own.lost_walked"), 0u);
  EXPECT_GT(plain.at("gpu.sm.own.held_back"), 0u);
  // Every counter of the machine, sums over each cycle of slots and queues among them.
  EXPECT_EQ(run_bfs({{"sm.scheduler", "ta-ccws"}, {"sm.ta_ccws.tlb_miss", "1"}}), plain);
  EXPECT_NE(run_bfs({{"sm.scheduler", "ta-ccws"}, {"sm.ta_ccws.tlb_miss", "4"}}).at("gpu.cycles"),
            plain.at("gpu.cycles"));
}

TEST(Tcws, LooksAtTheTlbOnly) {
  const auto with = run_bfs({{"sm.scheduler", "tcws"}});
  EXPECT_GT(with.at("gpu.sm.own.lost"), 0u);
  EXPECT_GT(with.at("gpu.sm.own.raised"), 0u);
  EXPECT_GT(with.at("gpu.sm.own.held_back"), 0u);
  auto without = run_bfs({{"sm.scheduler", "tcws"}, {"sm.mmu.kind", "none"}});
  EXPECT_EQ(without.at("gpu.sm.own.lost"), 0u);
  EXPECT_EQ(without.at("gpu.cycles"), run_bfs({{"sm.scheduler", "lrr"}, {"sm.mmu.kind", "none"}}).at("gpu.cycles"));
}

TEST(StaticLimit, WithoutEffectIsRoundRobin) {
  const auto lrr = run_bfs({{"sm.scheduler", "lrr"}});
  EXPECT_EQ(run_bfs({{"sm.scheduler", "ccws-swl"}, {"sm.ccws_swl.warps", "64"}}).at("gpu.cycles"),
            lrr.at("gpu.cycles"));
  EXPECT_NE(run_bfs({{"sm.scheduler", "ccws-swl"}, {"sm.ccws_swl.warps", "2"}}).at("gpu.cycles"), lrr.at("gpu.cycles"));
}

}  // namespace
}  // namespace heddle::test
