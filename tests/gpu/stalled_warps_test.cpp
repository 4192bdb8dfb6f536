// One TLB miss that many warps wait for (MASK, ASPLOS 2018, figure 4).
#include <gtest/gtest.h>

#include "small_gpu.h"

namespace heddle::test {
namespace {

/// Every warp loads a line of its own; all lines are of one page.
const char* const kOnePage = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry one_page(.param .u64 A)
{
  .reg .b32 t, v;
  .reg .b64 a, o;
  ld.param.u64 a, [A];
  mov.u32 t, %tid.x;
  mul.wide.u32 o, t, 4;
  add.u64 a, a, o;
  ld.global.u32 v, [a];
  add.u32 v, v, 1;
  st.global.u32 [a], v;
  ret;
}
)";

runtime::LaunchStatistics run(const std::string& kind) {
  auto gpu = small_gpu();
  gpu->set_text("sm.mmu.kind", kind);
  if (kind == "tlb") gpu->set_text("sm.mmu.walks", "shared");
  runtime::Device::Options options;
  options.gpu = gpu;
  runtime::Device device(options);
  const runtime::Module module = device.load(kOnePage, "one_page.ptx");
  const runtime::DeviceArray<std::uint32_t> data(device, 1024);
  return device.launch(module.kernel("one_page"), {1, 1, 1}, {128, 1, 1}, 0, data.address());
}

TEST(StalledWarps, FourWarpsOfAPageWaitForOneWalkAndThenGoOnTogether) {
  const runtime::LaunchStatistics tlb = run("tlb");
  EXPECT_EQ(tlb.counters.at("gpu.mmu.walker.walks"), 1u);
  EXPECT_EQ(tlb.counters.at("gpu.sm.mmu.walked"), 1u);
  EXPECT_EQ(tlb.counters.at("gpu.sm.mmu.warps_stalled"), 4u);
  EXPECT_EQ(tlb.counters.at("gpu.sm.mmu.most_warps_stalled"), 4u);
  EXPECT_GT(tlb.cycles, run("none").cycles + 4 * 50) << "four reads, one after the other";
}

}  // namespace
}  // namespace heddle::test
