// Timing a part of a program: what is executed without timing, what is timed, what is counted.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "exec/interpreter.h"
#include "runtime/machine.h"
#include "small_gpu.h"
#include "workloads/workload.h"

namespace heddle::test {
namespace {

struct PhasedRun {
  bool passed = false;
  std::vector<std::uint64_t> cycles;  ///< of each launch; 0 where it was not timed
  runtime::PhaseControl::Stage stage = runtime::PhaseControl::Stage::before;
  std::map<std::string, std::uint64_t> counted;
};

/// A machine of four SMs.
std::shared_ptr<runtime::Machine> phased_machine(const runtime::Phases& phases, unsigned threads) {
  auto gpu = std::make_shared<gpu::GpuParameters>();
  gpu->set_text("sms", "4");
  runtime::MachineOptions options;
  options.gpu = gpu;
  options.threads = threads;
  options.phases = phases;
  return std::make_shared<runtime::Machine>(options);
}

/// A program of eight launches of one kernel.
PhasedRun run(const runtime::Phases& phases, unsigned threads = 1) {
  runtime::Device device(phased_machine(phases, threads), runtime::Device::Options{});
  PhasedRun result;
  result.passed = workloads::find("fft")->run(device, {8, 1}).passed;
  for (const auto& launch : device.launches()) result.cycles.push_back(launch.cycles);
  result.stage = device.machine().phases().stage();
  result.counted = device.machine().phases().counted(*device.gpu());
  return result;
}

using Unit = runtime::Amount::Unit;
using Stage = runtime::PhaseControl::Stage;

TEST(Phases, LaunchesBeforeTheFirstTimedOneAreExecutedWithoutTiming) {
  const PhasedRun r = run({3, 0, {}, {}});
  EXPECT_TRUE(r.passed);
  ASSERT_EQ(r.cycles.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(r.cycles[i] != 0, i >= 3) << i;
  EXPECT_EQ(r.stage, Stage::counting);
}

TEST(Phases, AfterTheWindowLaunchesAreExecutedWithoutTimingAndTheResultIsStillRight) {
  const PhasedRun r = run({1, 0, {}, {1, Unit::instructions}});
  EXPECT_TRUE(r.passed);
  ASSERT_EQ(r.cycles.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(r.cycles[i] != 0, i == 1) << i;
  EXPECT_EQ(r.stage, Stage::after);
}

TEST(Phases, TheWarmUpIsTimedAndNotCounted) {
  const PhasedRun cold = run({2, 0, {}, {}});
  const PhasedRun warm = run({2, 0, {1, Unit::cycles}, {}});
  EXPECT_EQ(cold.cycles, warm.cycles);
  EXPECT_LT(warm.counted.at("gpu.sm.instructions"), cold.counted.at("gpu.sm.instructions"));
  EXPECT_GT(warm.counted.at("gpu.sm.instructions"), 0u);
}

TEST(Phases, AWindowThatTheProgramNeverReachesCountsNothing) {
  EXPECT_TRUE(run({100, 0, {}, {}}).counted.empty());
  const PhasedRun r = run({0, 0, {1'000'000'000, Unit::cycles}, {}});
  EXPECT_TRUE(r.counted.empty());
  EXPECT_EQ(r.stage, Stage::warming);
}

TEST(Phases, AWindowOverTheWholeProgramCountsWhatARunWithoutPhasesCounts) {
  const PhasedRun r = run({0, 0, {}, {1'000'000'000, Unit::instructions}});
  auto gpu = std::make_shared<gpu::GpuParameters>();
  gpu->set_text("sms", "4");
  runtime::Device::Options options;
  options.gpu = gpu;
  runtime::Device device(options);
  ASSERT_TRUE(workloads::find("fft")->run(device, {8, 1}).passed);
  EXPECT_EQ(r.counted, sim::totals(device.gpu()->statistics()));
}

TEST(Phases, GiveTheSameCountsForAnyNumberOfThreads) {
  const runtime::Phases phases{1, 0, {3'000, Unit::instructions}, {4'000, Unit::instructions}};
  const PhasedRun one = run(phases, 1);
  const PhasedRun two = run(phases, 2);
  EXPECT_FALSE(one.counted.empty());
  EXPECT_EQ(one.counted, two.counted);
  EXPECT_EQ(one.cycles, two.cycles);
}

/// A program of one launch with many blocks.
struct PartlyTimed {
  bool passed = false;
  runtime::LaunchStatistics launch;
  std::map<std::string, std::uint64_t> counted;
  std::string json;
  std::uint64_t timed_blocks = 0;
  std::uint64_t untimed_blocks = 0;
};

PartlyTimed run_in_part(const runtime::Phases& phases, unsigned threads = 1, std::uint64_t elements = 102'400) {
  runtime::Device device(phased_machine(phases, threads), runtime::Device::Options{});
  PartlyTimed result;
  result.passed = workloads::find("vectoradd")->run(device, {elements, 1}).passed;
  result.launch = device.launches().front();
  const runtime::PhaseControl& control = device.machine().phases();
  result.counted = control.counted(*device.gpu());
  std::ostringstream json;
  control.write_statistics(json, *device.gpu());
  result.json = json.str();
  result.timed_blocks = control.timed_blocks();
  result.untimed_blocks = control.untimed_blocks();
  return result;
}

TEST(Phases, AWindowEndsInsideAKernelWhoseOtherBlocksAreExecutedWithoutTiming) {
  const PartlyTimed whole = run_in_part({0, 0, {}, {1'000'000'000, Unit::instructions}});
  const PartlyTimed part = run_in_part({0, 0, {}, {3'000, Unit::instructions}});
  EXPECT_TRUE(part.passed);
  EXPECT_EQ(part.timed_blocks + part.untimed_blocks, part.launch.grid.count());
  EXPECT_EQ(part.timed_blocks, part.launch.timed_blocks);
  EXPECT_GT(part.timed_blocks, 0u);
  EXPECT_GT(part.untimed_blocks, part.timed_blocks);
  EXPECT_LT(part.launch.cycles, whole.launch.cycles / 2);
  EXPECT_EQ(part.launch.warp_instructions, whole.launch.warp_instructions);
  EXPECT_EQ(part.launch.thread_instructions, whole.launch.thread_instructions);
}

TEST(Phases, AWindowCountsItsAmountAndLessThanAnotherLookMore) {
  const PartlyTimed part = run_in_part({0, 0, {}, {3'000, Unit::instructions}});
  EXPECT_GE(part.counted.at("gpu.sm.instructions"), 3'000u);
  EXPECT_LT(part.counted.at("gpu.sm.instructions"), 3'000u + 4 * 2 * 2'000u);
  const PartlyTimed cycles = run_in_part({0, 0, {2'000, Unit::cycles}, {4'000, Unit::cycles}});
  EXPECT_GE(cycles.counted.at("gpu.cycles"), 4'000u);
  EXPECT_LT(cycles.counted.at("gpu.cycles"), 6'100u);
}

TEST(Phases, WhatIsSkippedEndsAtABlockAndTheRestOfTheKernelIsTimed) {
  const PartlyTimed whole = run_in_part({0, 0, {}, {1'000'000'000, Unit::instructions}});
  const PartlyTimed part = run_in_part({0, 10'000, {}, {}});
  EXPECT_TRUE(part.passed);
  EXPECT_EQ(part.timed_blocks + part.untimed_blocks, part.launch.grid.count());
  const std::uint64_t block = whole.launch.warp_instructions / part.launch.grid.count();
  EXPECT_EQ(part.untimed_blocks, (10'000 + block - 1) / block);
  EXPECT_EQ(part.counted.at("gpu.sm.blocks"), part.timed_blocks);
  EXPECT_EQ(part.launch.warp_instructions, whole.launch.warp_instructions);
}

TEST(Phases, SkippingMoreThanTheProgramHasTimesNothing) {
  const PartlyTimed part = run_in_part({0, 1'000'000'000, {}, {}});
  EXPECT_TRUE(part.passed);
  EXPECT_EQ(part.timed_blocks, 0u);
  EXPECT_EQ(part.launch.cycles, 0u);
  EXPECT_TRUE(part.counted.empty());
}

TEST(Phases, TimeTheSamePartOfAKernelWithAnyNumberOfThreads) {
  const runtime::Phases phases{0, 5'000, {1'000, Unit::instructions}, {2'000, Unit::instructions}};
  const PartlyTimed one = run_in_part(phases, 1);
  const PartlyTimed two = run_in_part(phases, 2);
  EXPECT_TRUE(one.passed && two.passed);
  EXPECT_EQ(one.counted, two.counted);
  EXPECT_EQ(one.json, two.json);
  EXPECT_EQ(one.launch.cycles, two.launch.cycles);
  EXPECT_EQ(one.timed_blocks, two.timed_blocks);
}

TEST(Phases, StatisticsOfAWindowSayThatTheyAreThatAndAddUpToWhatWasCounted) {
  const PartlyTimed part = run_in_part({0, 0, {1'000, Unit::instructions}, {3'000, Unit::instructions}});
  const nlohmann::json json = nlohmann::json::parse(part.json);
  EXPECT_NE(json.at("window").get<std::string>().find("counted for 3000 warp instructions"), std::string::npos);
  const nlohmann::json& gpu = json.at("gpu");
  EXPECT_EQ(gpu.at("cycles").get<std::uint64_t>(), part.counted.at("gpu.cycles"));
  std::uint64_t instructions = 0;
  for (const char* sm : {"sm[0]", "sm[1]", "sm[2]", "sm[3]"})
    instructions += gpu.at(sm).at("instructions").get<std::uint64_t>();
  EXPECT_EQ(instructions, part.counted.at("gpu.sm.instructions"));
}

TEST(Phases, NeedATimedMachine) {
  runtime::MachineOptions options;
  options.phases.first_launch = 1;
  EXPECT_THROW(runtime::Machine{options}, UserError);
}

TEST(Observer, SeesEveryGlobalMemoryInstructionOnce) {
  auto gpu = std::make_shared<gpu::GpuParameters>();
  gpu->set_text("sms", "4");
  runtime::MachineOptions options;
  options.gpu = gpu;
  std::uint64_t seen = 0;
  std::set<std::uint32_t> sms;
  options.observe = [&](std::uint32_t sm, const exec::MemoryAccess& access, LaneMask global) {
    ++seen;
    sms.insert(sm);
    EXPECT_NE(access.lanes & global, 0u);
  };
  runtime::Device device(std::make_shared<runtime::Machine>(options), runtime::Device::Options{});
  ASSERT_TRUE(workloads::find("fft")->run(device, {8, 1}).passed);
  EXPECT_EQ(seen, sim::totals(device.gpu()->statistics()).at("gpu.sm.memory_instructions"));
  EXPECT_EQ(sms.size(), 4u);
}

TEST(Observer, NeedsOneHostThread) {
  runtime::MachineOptions options;
  options.gpu = std::make_shared<gpu::GpuParameters>();
  options.threads = 2;
  options.observe = [](std::uint32_t, const exec::MemoryAccess&, LaneMask) {};
  EXPECT_THROW(runtime::Machine{options}, UserError);
}

}  // namespace
}  // namespace heddle::test
