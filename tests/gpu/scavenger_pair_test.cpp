// Scavenger on pairs of workloads.
#include <gtest/gtest.h>

#include "base/diagnostics.h"
#include "together.h"

namespace heddle::test {
namespace {

using Changes = std::vector<std::pair<std::string, std::string>>;

/// Everything a hundred times shorter, so that tiny workloads go through all states.
Changes short_scavenger(const char* target) {
  return {{"sharing.policy", "scavenger"},
          {"sharing.scavenger.target", target},
          {"sharing.scavenger.min_profile", "400"},
          {"sharing.scavenger.max_profile", "4000"},
          {"sharing.scavenger.settle", "16"},
          {"sharing.scavenger.max_run", "4000"},
          {"sharing.scavenger.element", "16"},
          {"sharing.scavenger.elements", "16"},
          {"sharing.scavenger.trigger", "64"},
          {"sharing.scavenger.compare", "256"},
          {"sharing.scavenger.block_interval", "500"},
          {"sharing.scavenger.detect", "2000"},
          {"sharing.scavenger.alone", "2000"},
          {"sharing.scavenger.grace", "500"},
          {"sm.scheduler", "lrr"},
          {"sm.l1.enabled", "false"}};
}

TEST(Scavenger, ChangesNoResultAndIsTheSameWithAnyNumberOfThreads) {
  for (const std::vector<const char*>& names : std::vector<std::vector<const char*>>{
           {"sgemm", "histogram"}, {"scan", "sgemm"}, {"bfs", "reduction"}, {"lud", "transpose_shared"}}) {
    if (!all_here(names)) continue;
    const Together one = run_together(names, short_scavenger("0.7"));
    EXPECT_EQ(one.passed, std::vector<bool>(2, true)) << names[0] << ' ' << names[1];
    EXPECT_EQ(one.counters.at("gpu.sm.contexts_saved"), one.counters.at("gpu.sm.contexts_restored"));
    EXPECT_EQ(one.counters, run_together(names, short_scavenger("0.7"), 2).counters);
  }
}

TEST(Scavenger, GoesThroughItsStates) {
  const std::vector<const char*> names{"sgemm", "histogram"};
  if (!all_here(names)) GTEST_SKIP();
  const auto counters = run_together(names, short_scavenger("0.6")).counters;
  for (const char* name : {"profile_cycles", "run_cycles", "shared_cycles", "profiles", "actual", "predicted"})
    EXPECT_GT(counters.at(std::string("gpu.scavenger.sm.") + name), 0u) << name;
  EXPECT_GT(counters.at("gpu.scavenger.evicted_secondary") + counters.at("gpu.scavenger.evicted_primary"), 0u);
}

TEST(Scavenger, AloneOnlyPredicts) {
  if (!all_here({"sgemm"})) GTEST_SKIP();
  Changes changes = short_scavenger("0.9");
  const Together with = run_together({"sgemm"}, changes);
  changes[0].second = "all";
  const Together without = run_together({"sgemm"}, changes);
  EXPECT_EQ(with.cycles, without.cycles) << "nothing is taken from it";
  EXPECT_GT(with.counters.at("gpu.scavenger.sm.profiles"), 0u);
}

TEST(Scavenger, RunsOnTranslatedMemoryInACheckedRun) {
  const std::vector<const char*> names{"histogram", "scan"};
  if (!all_here(names)) GTEST_SKIP();
  Changes changes = short_scavenger("0.8");
  changes.insert(changes.end(), {{"sm.mmu.kind", "tlb"}, {"sm.mmu.walks", "shared"}, {"check_lines", "true"}});
  EXPECT_EQ(run_together(names, changes).passed, std::vector<bool>(2, true));
}

/// Arithmetic without end, round after round, and a store.
constexpr const char* kSteady = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry steady(.param .u64 A, .param .u32 N)
{
  .reg .pred p;
  .reg .b32 n, i, t, b, k;
  .reg .f32 x, y;
  .reg .b64 a, w;
  ld.param.u64 a, [A];
  ld.param.u32 n, [N];
  mov.u32 t, %tid.x;
  mov.u32 b, %ctaid.x;
  mov.u32 k, %ntid.x;
  mad.lo.u32 i, b, k, t;
  cvt.rn.f32.u32 x, i;
  mov.f32 y, 0f3F800000;
AGAIN:
  fma.rn.f32 x, x, y, y;
  fma.rn.f32 y, y, y, x;
  fma.rn.f32 x, x, y, y;
  sub.u32 n, n, 1;
  setp.ne.u32 p, n, 0;
  @p bra AGAIN;
  mul.wide.u32 w, i, 4;
  add.u64 w, w, a;
  st.global.f32 [w], x;
  ret;
}
)";

/// What the primary does of what it would do alone, while both run, for a target.
double held(const char* target) {
  const auto gpu = small_gpu();
  for (const auto& [path, value] : short_scavenger(target)) gpu->set_text(path, value);
  for (const auto& [path, value] : Changes{{"sharing.scavenger.min_profile", "2000"},
                                           {"sharing.scavenger.max_profile", "20000"},
                                           {"sharing.scavenger.max_run", "100000"},
                                           {"sharing.scavenger.block_interval", "8192"},
                                           {"sharing.scavenger.detect", "65536"}})
    gpu->set_text(path, value);
  runtime::MachineOptions options;
  options.gpu = gpu;
  options.applications = 2;
  const auto machine = std::make_shared<runtime::Machine>(options);
  std::vector<std::unique_ptr<runtime::Device>> devices;
  std::vector<std::function<void()>> programs;
  for (std::size_t a = 0; a < 2; ++a) {
    devices.push_back(std::make_unique<runtime::Device>(machine, runtime::Device::Options{}));
    programs.emplace_back([&, a] {
      runtime::Device& device = *devices[a];
      const runtime::Module module = device.load(kSteady, "steady.ptx");
      const runtime::DeviceArray<float> out(device, 64 * 100);
      // The secondary has more to do, so that it is there all the time.
      device.launch(module.kernel("steady"), {a == 0 ? 60u : 100u, 1, 1}, {64, 1, 1}, 0, out.address(),
                    std::uint32_t{300});
    });
  }
  machine->run_together(programs);
  const auto counters = sim::totals(machine->gpu()->statistics());
  EXPECT_GT(counters.at("gpu.scavenger.sm.shared_cycles"), 20000u);
  return static_cast<double>(counters.at("gpu.scavenger.sm.actual")) /
         static_cast<double>(counters.at("gpu.scavenger.sm.predicted"));
}

TEST(Scavenger, HoldsTheTargetOfASyntheticPair) {
  // Both want all issue slots, so that whatever one gets the other lacks.
  EXPECT_NEAR(held("0.5"), 0.5, 0.06);
  EXPECT_NEAR(held("0.7"), 0.7, 0.06);
  EXPECT_NEAR(held("0.9"), 0.9, 0.06);
}

TEST(Scavenger, KeepsAnSmFreeForTheNextKernelOfThePrimary) {
  const std::vector<const char*> names{"fwt", "blackscholes"};  // the first has many short kernels
  if (!all_here(names)) GTEST_SKIP();
  const auto evicted = [&](const char* grace) {
    Changes changes = short_scavenger("0.9");
    changes.emplace_back("sharing.scavenger.grace", grace);
    const Together run = run_together(names, changes);
    EXPECT_EQ(run.passed, std::vector<bool>(2, true));
    return run.counters.at("gpu.scavenger.evicted_secondary");
  };
  EXPECT_LT(evicted("100000"), evicted("0")) << "the secondary does not come and go with every kernel";
}

TEST(Scavenger, IsForTwo) {
  try {
    (void)run_together({"sgemm", "sgemm", "sgemm"}, short_scavenger("0.9"));
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("two applications"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace heddle::test
