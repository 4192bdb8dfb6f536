// Timing a part of a program: what is executed without timing, what is timed, what is counted.
#include <gtest/gtest.h>

#include <set>

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

/// A program of eight launches of one kernel.
PhasedRun run(const runtime::Phases& phases, unsigned threads = 1) {
  auto gpu = std::make_shared<gpu::GpuParameters>();
  gpu->set_text("sms", "4");
  runtime::MachineOptions options;
  options.gpu = gpu;
  options.threads = threads;
  options.phases = phases;
  runtime::Device device(std::make_shared<runtime::Machine>(options), runtime::Device::Options{});
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
  const PhasedRun r = run({3, {}, {}});
  EXPECT_TRUE(r.passed);
  ASSERT_EQ(r.cycles.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(r.cycles[i] != 0, i >= 3) << i;
  EXPECT_EQ(r.stage, Stage::counting);
}

TEST(Phases, AfterTheWindowLaunchesAreExecutedWithoutTimingAndTheResultIsStillRight) {
  const PhasedRun r = run({1, {}, {1, Unit::instructions}});
  EXPECT_TRUE(r.passed);
  ASSERT_EQ(r.cycles.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(r.cycles[i] != 0, i == 1) << i;
  EXPECT_EQ(r.stage, Stage::after);
}

TEST(Phases, TheWarmUpIsTimedAndNotCounted) {
  const PhasedRun cold = run({2, {}, {}});
  const PhasedRun warm = run({2, {1, Unit::cycles}, {}});
  EXPECT_EQ(cold.cycles, warm.cycles);
  EXPECT_LT(warm.counted.at("gpu.sm.instructions"), cold.counted.at("gpu.sm.instructions"));
  EXPECT_GT(warm.counted.at("gpu.sm.instructions"), 0u);
}

TEST(Phases, AWindowThatTheProgramNeverReachesCountsNothing) {
  EXPECT_TRUE(run({100, {}, {}}).counted.empty());
  const PhasedRun r = run({0, {1'000'000'000, Unit::cycles}, {}});
  EXPECT_TRUE(r.counted.empty());
  EXPECT_EQ(r.stage, Stage::warming);
}

TEST(Phases, AWindowOverTheWholeProgramCountsWhatARunWithoutPhasesCounts) {
  const PhasedRun r = run({0, {}, {1'000'000'000, Unit::instructions}});
  auto gpu = std::make_shared<gpu::GpuParameters>();
  gpu->set_text("sms", "4");
  runtime::Device::Options options;
  options.gpu = gpu;
  runtime::Device device(options);
  ASSERT_TRUE(workloads::find("fft")->run(device, {8, 1}).passed);
  EXPECT_EQ(r.counted, sim::totals(device.gpu()->statistics()));
}

TEST(Phases, GiveTheSameCountsForAnyNumberOfThreads) {
  const runtime::Phases phases{1, {3'000, Unit::instructions}, {4'000, Unit::instructions}};
  const PhasedRun one = run(phases, 1);
  const PhasedRun two = run(phases, 2);
  EXPECT_FALSE(one.counted.empty());
  EXPECT_EQ(one.counted, two.counted);
  EXPECT_EQ(one.cycles, two.cycles);
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
