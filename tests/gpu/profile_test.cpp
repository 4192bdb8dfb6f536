// The profile by instruction adds up to what the SMs count, and puts waiting where it belongs.
#include <gtest/gtest.h>

#include "core/profile.h"
#include "small_gpu.h"
#include "workloads/workload.h"

namespace heddle::test {
namespace {

constexpr std::array<const char*, core::kSlots> kSlotNames{"issued",       "no_warp", "fetch",        "barrier",
                                                           "memory_data",  "result",  "memory_order", "pipe_busy",
                                                           "memory_queue", "policy",  "operands"};

std::shared_ptr<gpu::GpuParameters> profiled_gpu(const std::vector<std::pair<const char*, const char*>>& changes) {
  auto gpu = std::make_shared<gpu::GpuParameters>();
  gpu->set_text("sms", "3");
  gpu->set_text("memory.partitions", "2");
  for (const auto& [path, value] : changes) gpu->set_text(path, value);
  return gpu;
}

struct Profiled {
  core::Profile profile;
  std::map<std::string, std::uint64_t> counted;
};

Profiled run_profiled(const std::string& name, const std::shared_ptr<gpu::GpuParameters>& gpu, unsigned threads = 1,
                      bool profile = true) {
  runtime::Device::Options options;
  options.gpu = gpu;
  options.profile = profile;
  options.threads = threads;
  runtime::Device device(options);
  const workloads::Workload* workload = workloads::find(name);
  EXPECT_TRUE(workload->run(device, {workload->sizes().front().elements, 1}).passed);
  return {device.gpu()->profile(), sim::totals(device.gpu()->statistics())};
}

core::InstructionProfile sum_of(const core::Profile& profile) {
  core::InstructionProfile sum;
  for (const auto& [kernel, instructions] : profile.kernels) {
    for (const auto& [pc, counts] : instructions) sum.add(counts);
  }
  for (std::size_t s = 0; s < core::kSlots; ++s) sum.slots[s] += profile.unplaced[s];
  return sum;
}

void expect_adds_up(const Profiled& run, bool all_placed = true) {
  const core::InstructionProfile sum = sum_of(run.profile);
  const auto counted = [&](const std::string& name) { return run.counted.at("gpu.sm." + name); };
  for (std::size_t s = 0; s < core::kSlots; ++s)
    EXPECT_EQ(sum.slots[s], counted(std::string("slot_") + kSlotNames[s])) << kSlotNames[s];
  EXPECT_EQ(sum.executions, counted("instructions"));
  EXPECT_EQ(sum.accesses, counted("memory_instructions"));
  EXPECT_EQ(sum.lines, counted("line_requests"));
  EXPECT_EQ(sum.pages, counted("page_requests"));
  EXPECT_EQ(sum.l1_reads, counted("l1_reads"));
  EXPECT_EQ(sum.l1_hits, counted("l1_hits"));
  EXPECT_EQ(sum.loads, counted("loads"));
  EXPECT_EQ(sum.load_latency, counted("load_latency"));
  EXPECT_EQ(sum.shared_conflicts, counted("shared_conflicts"));
  // Of slots that were lost with a warp there, every one has its instruction.
  for (std::size_t s = 0; s < core::kSlots && all_placed; ++s) {
    if (static_cast<core::Slot>(s) == core::Slot::no_warp) continue;
    EXPECT_EQ(run.profile.unplaced[s], 0u) << kSlotNames[s];
  }
}

TEST(AProfile, AddsUpToWhatTheSmsCount) {
  const auto gpu = profiled_gpu({{"sm.mmu.kind", "tlb"}});
  const Profiled run = run_profiled("bfs", gpu);
  expect_adds_up(run);
  const core::InstructionProfile sum = sum_of(run.profile);
  EXPECT_EQ(sum.tlb_lookups, run.counted.at("gpu.sm.mmu.lookups"));
  EXPECT_EQ(sum.tlb_hits, run.counted.at("gpu.sm.mmu.hits"));
  EXPECT_EQ(run.profile.kernels.size(), 2u);  // bfs has two kernels
  expect_adds_up(run_profiled("reduction", profiled_gpu({})));
}

TEST(AProfile, AddsUpWithOtherWaysToIssue) {
  expect_adds_up(run_profiled("histogram", profiled_gpu({{"sm.scheduler", "two-level"}})));
  expect_adds_up(run_profiled("histogram", profiled_gpu({{"sm.schedulers", "1"}, {"sm.issue_width", "2"}})));
  // A slot of a compacted block may wait without ever having issued.
  expect_adds_up(run_profiled("bfs", profiled_gpu({{"sm.divergence", "tbc"}})), false);
  expect_adds_up(run_profiled("bfs", profiled_gpu({{"sm.coalescer", "warppool"}})));
}

TEST(AProfile, IsTheSameForAnyNumberOfThreads) {
  const auto gpu = profiled_gpu({});
  const Profiled one = run_profiled("bfs", gpu);
  const Profiled three = run_profiled("bfs", gpu, 3);
  ASSERT_EQ(one.profile.kernels.size(), three.profile.kernels.size());
  for (const auto& [kernel, instructions] : one.profile.kernels) {
    for (const auto& [pc, counts] : instructions) {
      const core::InstructionProfile& other = three.profile.kernels.at(kernel).at(pc);
      EXPECT_EQ(counts.slots, other.slots) << pc;
      EXPECT_EQ(counts.load_latency, other.load_latency) << pc;
    }
  }
}

TEST(AProfile, ChangesNoCycle) {
  const auto gpu = profiled_gpu({});
  EXPECT_EQ(run_profiled("bfs", gpu).counted, run_profiled("bfs", gpu, 1, false).counted);
}

TEST(AProfile, PutsWaitingForDataOnTheLoadAndAtABarrierOnTheBarrier) {
  runtime::Device::Options options;
  options.gpu = small_gpu();
  options.profile = true;
  runtime::Device device(options);
  const runtime::Module module = device.load(R"(.version 7.0
.target sm_70
.address_size 64
.file 1 "some/where.cu"
.visible .entry waits(.param .u64 A)
{
  .reg .b32 n, t;
  .reg .b64 a;
  .reg .pred p;
  .loc 1 10 0
  ld.param.u64 a, [A];
  mov.u32 t, %tid.x;
  setp.lt.u32 p, t, 32;
  @!p bra MEET;
  .loc 1 20 0
  ld.global.u32 n, [a];
  add.u32 n, n, 1;
  st.global.u32 [a], n;
MEET:
  .loc 1 30 0
  bar.sync 0;
  ret;
}
)",
                                             "waits.ptx");
  const runtime::DeviceArray<std::uint32_t> data(device, std::vector<std::uint32_t>(1, 5));
  device.launch(module.kernel("waits"), {1, 1, 1}, {64, 1, 1}, 0, data.address());
  const core::Profile profile = device.gpu()->profile();
  ASSERT_EQ(profile.kernels.size(), 1u);
  std::uint64_t data_slots = 0;
  std::uint64_t barrier_slots = 0;
  for (const auto& [pc, counts] : profile.kernels.begin()->second) {
    const runtime::CodePlace place = device.place(profile.kernels.begin()->first.first, pc);
    const std::uint64_t waited = counts.slots[static_cast<std::size_t>(core::Slot::memory_data)];
    const std::uint64_t at_barrier = counts.slots[static_cast<std::size_t>(core::Slot::barrier)];
    EXPECT_EQ(place.source_file, place.source_line == 0 ? "" : "some/where.cu");
    if (place.ptx.starts_with("ld.global")) {
      data_slots += waited;
      EXPECT_EQ(place.source_line, 20u);
      EXPECT_EQ(place.ptx_line, 16u);
      EXPECT_EQ(counts.loads, 1u);
      EXPECT_EQ(counts.lines, 1u);
    } else if (!place.ptx.starts_with("ld.param")) {
      EXPECT_EQ(waited, 0u) << place.text;
    }
    if (place.ptx.starts_with("bar.sync")) {
      barrier_slots += at_barrier;
      EXPECT_EQ(place.text, "waits.ptx:21 (where.cu:30)");
    } else {
      EXPECT_EQ(at_barrier, 0u) << place.text;
    }
  }
  EXPECT_GT(data_slots, 50u);
  EXPECT_GT(barrier_slots, 50u);
}

}  // namespace
}  // namespace heddle::test
