// What must hold for every workload, whatever the numbers.
#include <gtest/gtest.h>

#include "small_gpu.h"
#include "workloads/workload.h"

namespace heddle::test {
namespace {

struct TimedRun {
  bool passed = false;
  std::uint64_t cycles = 0;
  std::map<std::string, std::uint64_t> counters;
};

/// At its smallest size; less of what takes long there.
std::uint64_t elements_of(const workloads::Workload& workload) {
  static const std::map<std::string, std::uint64_t> kLess{
      {"atax", 128}, {"bc", 24}, {"bicg", 128}, {"mvt", 128}, {"probe_bandwidth", 96}};
  const auto less = kLess.find(std::string(workload.name()));
  return less != kLess.end() ? less->second : workload.sizes().front().elements;
}

TimedRun run(const workloads::Workload& workload, const std::vector<std::pair<std::string, std::string>>& changes,
             unsigned threads) {
  auto gpu = std::make_shared<gpu::GpuParameters>();
  gpu->set_text("sms", "4");
  gpu->set_text("memory.partitions", "3");
  for (const auto& [path, value] : changes) gpu->set_text(path, value);
  runtime::Device::Options options;
  options.gpu = gpu;
  options.threads = threads;
  runtime::Device device(options);
  workloads::Request request;
  request.elements = elements_of(workload);
  TimedRun result;
  result.passed = workload.run(device, request).passed;
  result.counters = sim::totals(device.gpu()->statistics());
  result.cycles = result.counters.at("gpu.cycles");
  return result;
}

/// One run without changes on one thread, made once: most laws look at nothing else.
const TimedRun& plain_run(const workloads::Workload& workload) {
  static std::map<const workloads::Workload*, TimedRun> runs;
  const auto found = runs.find(&workload);
  return found != runs.end() ? found->second : runs[&workload] = run(workload, {}, 1);
}

/// A mechanism's own numbers, each as small as it may be: "sm.two_level.active_warps", "1".
std::vector<std::pair<std::string, std::string>> smallest_parameters(const std::string& part, const std::string& name) {
  const gpu::GpuParameters gpu;
  std::vector<std::pair<std::string, std::string>> smallest;
  for (const sim::ParameterGroup* group : gpu.groups()) {
    if (group->key() != part) continue;
    for (const sim::ParameterGroup* own : group->groups()) {
      if (own->key() != sim::group_name(name)) continue;
      for (const sim::ParameterBase* parameter : own->parameters()) {
        const std::string allowed = parameter->allowed();
        if (const std::size_t to = allowed.find(" to "); to != std::string::npos)
          smallest.emplace_back(own->path() + "." + parameter->key(), allowed.substr(0, to));
      }
    }
  }
  return smallest;
}

class EveryWorkload : public testing::TestWithParam<const workloads::Workload*> {};

TEST_P(EveryWorkload, has_one_to_thirty_two_lanes_in_a_memory_instruction) {
  const auto& counters = plain_run(*GetParam()).counters;
  for (const auto& [lanes, instructions] : {std::pair{"gpu.sm.memory_lanes", "gpu.sm.memory_instructions"},
                                            {"gpu.sm.shared_lanes", "gpu.sm.shared_accesses"}}) {
    EXPECT_GE(counters.at(lanes), counters.at(instructions)) << lanes;
    EXPECT_LE(counters.at(lanes), 32 * counters.at(instructions)) << lanes;
  }
}

TEST_P(EveryWorkload, SendsLinesToTheL1OneInACycle) {
  const auto& counters = plain_run(*GetParam()).counters;
  EXPECT_EQ(counters.at("gpu.sm.l1_lines"), counters.at("gpu.sm.l1_cycles")) << "it has one port";
  EXPECT_GE(counters.at("gpu.sm.l1_lines"), counters.at("gpu.sm.l1_reads"));
  EXPECT_LE(counters.at("gpu.sm.l1_cycles"), counters.at("gpu.sm.active_cycles"));
}

TEST_P(EveryWorkload, ComputesTheRightResultWhenTimed) { EXPECT_TRUE(plain_run(*GetParam()).passed); }

TEST_P(EveryWorkload, GivesTheSameAnswerWithOneTwoAndThreeThreads) {
  const TimedRun& one = plain_run(*GetParam());
  for (const unsigned threads : {2u, 3u}) {
    const TimedRun other = run(*GetParam(), {}, threads);
    EXPECT_TRUE(other.passed);
    EXPECT_EQ(one.counters, other.counters);
  }
}

TEST_P(EveryWorkload, AccountsForEveryIssueSlot) {
  const TimedRun& r = plain_run(*GetParam());
  std::uint64_t slots = 0;
  for (const auto& [path, value] : r.counters) {
    if (path.starts_with("gpu.sm.slot_")) slots += value;
  }
  EXPECT_EQ(slots, 2 * r.counters.at("gpu.sm.active_cycles"));
  // Counted where instructions execute, and where slots are: one instruction to a slot. Calls to the host are executed
  // between quanta, in no slot.
  EXPECT_EQ(r.counters.at("gpu.sm.slot_issued"), r.counters.at("gpu.sm.instructions"));
  EXPECT_EQ(r.counters.at("gpu.sm.slot_policy"), 0u) << "this scheduler leaves no slot empty that could be used";
  EXPECT_GT(r.counters.at("gpu.sm.slot_fetch"), 0u) << "code is cold at first";
  // No more than four SMs for as long as kernels ran, and not less than what the longest-running SM had to do.
  EXPECT_LE(r.counters.at("gpu.sm.active_cycles"), 4 * r.cycles);
  EXPECT_GE(r.counters.at("gpu.sm.warp_cycles"), r.counters.at("gpu.sm.active_cycles"));
}

TEST_P(EveryWorkload, LosesNoRequestAndNoByte) {
  const TimedRun& r = plain_run(*GetParam());
  EXPECT_EQ(r.counters.at("gpu.sm.bytes_out"), r.counters.at("gpu.l2.bytes_in"));
  // A line of code that an SM fetched ahead may still be on its way to it when the last warp ends.
  constexpr std::uint64_t kCodeInFlight = std::uint64_t{4} * 128;
  EXPECT_LE(r.counters.at("gpu.sm.bytes_in"), r.counters.at("gpu.l2.bytes_out"));
  EXPECT_GE(r.counters.at("gpu.sm.bytes_in") + kCodeInFlight, r.counters.at("gpu.l2.bytes_out"));
  EXPECT_EQ(r.counters.at("gpu.l2.writes"), r.counters.at("gpu.sm.stores"));
  EXPECT_EQ(r.counters.at("gpu.l2.atomics"), r.counters.at("gpu.sm.atomics"));
  EXPECT_EQ(r.counters.at("gpu.l2.hits") + r.counters.at("gpu.l2.misses"),
            r.counters.at("gpu.l2.reads") + r.counters.at("gpu.l2.atomics"));
}

TEST_P(EveryWorkload, WritesBackEverythingThatAWriteBackL1Kept) {
  // Small and with few ways, so that lines leave for every reason: replaced, flushed by fences, flushed at the end.
  const TimedRun r = run(*GetParam(),
                         {{"sm.l1.writes", "write-back"},
                          {"sm.l1.allocate", "on-fill"},
                          {"sm.l1.kib", "4"},
                          {"sm.l1.banks", "4"},
                          {"sm.l1.ports", "4"},
                          {"network.queue", "1"}},
                         1);
  EXPECT_TRUE(r.passed);
  EXPECT_EQ(r.counters.at("gpu.sm.bytes_out"), r.counters.at("gpu.l2.bytes_in"));
  EXPECT_EQ(r.counters.at("gpu.l2.writes"), r.counters.at("gpu.sm.stores"));
  const std::uint64_t kept = r.counters.at("gpu.sm.l1_writes");
  const std::uint64_t written = r.counters.at("gpu.sm.l1_writebacks");
  EXPECT_LE(written, kept);
  EXPECT_EQ(written == 0, kept == 0);
}

TEST_P(EveryWorkload, RunsWithEveryScheduler) {
  for (const std::string& name : core::SchedulerRegistry::instance().names()) {
    EXPECT_TRUE(run(*GetParam(), {{"sm.scheduler", name}}, 1).passed) << name;
    const auto smallest = smallest_parameters("sm", name);
    if (smallest.empty()) continue;
    std::vector<std::pair<std::string, std::string>> changes = smallest;
    changes.emplace_back("sm.scheduler", name);
    EXPECT_TRUE(run(*GetParam(), changes, 1).passed) << name << " with its parameters as small as can be";
  }
}

TEST_P(EveryWorkload, RunsWithEveryCoalescer) {
  for (const std::string& coalescer : core::CoalescerRegistry::instance().names()) {
    if (coalescer == "intra" || coalescer.starts_with("test-")) continue;
    std::vector<std::pair<std::string, std::string>> changes = {{"sm.coalescer", coalescer}, {"check_lines", "true"}};
    EXPECT_TRUE(run(*GetParam(), changes, 2).passed) << coalescer;
  }
}

TEST_P(EveryWorkload, ComputesTheSameWhenItsBlocksAreCompacted) {
  // Of the aware kind with parameters as small as can be: counters of one bit that are never cleared mix most.
  for (const std::string name : {"tbc", "tbc-tlb", "tbc-oracle"}) {
    std::vector<std::pair<std::string, std::string>> changes = smallest_parameters("sm", name);
    changes.insert(changes.end(), {{"sm.divergence", name}, {"sm.mmu.kind", "tlb"}, {"sm.mmu.tlb.entries", "16"}});
    const TimedRun r = run(*GetParam(), changes, 1);
    EXPECT_TRUE(r.passed) << name;
    EXPECT_EQ(r.counters.at("gpu.sm.bytes_out"), r.counters.at("gpu.l2.bytes_in")) << name;
  }
}

TEST_P(EveryWorkload, ComputesTheSameWhenItsBlocksArePreempted) {
  // That the number of threads changes nothing, Preemption.* sees.
  EXPECT_TRUE(run(*GetParam(), {{"sharing.policy", "test-evictor"}}, 3).passed);
}

TEST_P(EveryWorkload, IsNotSlowerWithAPerfectL2) {
  const TimedRun& real = plain_run(*GetParam());
  const TimedRun perfect = run(*GetParam(), {{"l2.perfect", "true"}}, 1);
  EXPECT_TRUE(perfect.passed);
  // Dispatch happens between quanta, so a run may end up to one quantum later per launch for reasons of rounding. And a
  // greedy scheduler is not optimal: where pipelines are the limit, data that comes earlier changes the order of issue,
  // for better or for slightly worse.
  const std::uint64_t rounding = 20 * real.counters.at("gpu.kernels");
  EXPECT_LE(perfect.cycles, real.cycles + rounding + real.cycles / 50);
}

TEST_P(EveryWorkload, ExecutesAsManyInstructionsAsWithoutTiming) {
  runtime::Device device;
  workloads::Request request;
  request.elements = elements_of(*GetParam());
  ASSERT_TRUE(GetParam()->run(device, request).passed);
  std::uint64_t functional = 0;
  for (const auto& launch : device.launches()) functional += launch.warp_instructions;
  EXPECT_EQ(plain_run(*GetParam()).counters.at("gpu.sm.instructions"), functional);
}

INSTANTIATE_TEST_SUITE_P(Bundled, EveryWorkload, testing::ValuesIn(workloads::all()),
                         [](const auto& instance) { return std::string(instance.param->name()); });

}  // namespace
}  // namespace heddle::test
