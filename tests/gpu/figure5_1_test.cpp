// The worked example of Pichai's Figure 5.1 on the machine: a block of three warps with four threads each, of which
// threads 2, 3, 5 and 12 go to block C and the others to block B. Pages are those that the catalogue of the thesis
// works out (`fig5_1_pages`). The TLB has one entry and is looked up for each thread, lane by lane; the thesis counts
// in the order of thread numbers, which tests/core/compactor_test.cpp does.
#include <gtest/gtest.h>

#include "small_gpu.h"

namespace heddle::test {
namespace {

constexpr const char* kExample = R"(.version 7.0
.target sm_50
.address_size 64
.visible .entry example(.param .u64 A, .param .u32 OTHERS)
{
  .reg .pred p, c, others;
  .reg .b32 t, lane, six, number, y;
  .reg .b64 a, o;
  ld.param.u64 a, [A];
  ld.param.u32 t, [OTHERS];
  setp.ne.u32 others, t, 0;
  mov.u32 t, %tid.x;
  and.b32 lane, t, 31;
  setp.ge.u32 p, lane, 4;
  @p bra END;
  shr.u32 t, t, 5;
  mad.lo.u32 t, t, 4, lane;
  add.u32 t, t, 1;             // threads 1 to 12
  mov.u32 y, 1;
  shl.b32 number, y, t;
  and.b32 six, number, 0x1d22; // 1, 5, 8, 10, 11, 12 touch page 6
  setp.ne.u32 p, six, 0;
  and.b32 six, number, 0x102c; // 2, 3, 5, 12 go to C
  setp.ne.u32 c, six, 0;
  mul.wide.u32 o, t, 128;
  add.u64 a, a, o;
  @p add.u64 a, a, 20480;
  @c bra C;
  ld.global.u32 y, [a+4096];
  add.u32 y, y, 1;
  bra D;
C:
  @others ld.global.u32 y, [a+4096];
  add.u32 y, y, 2;
D:
  setp.eq.u32 p, y, 12345;
  @p trap;
END:
  ret;
}
)";

/// `others`: block C accesses memory, too.
runtime::LaunchStatistics run(const std::string& divergence, bool others) {
  const auto gpu = small_gpu();
  gpu->set_text("sm.divergence", divergence);
  gpu->set_text("sm.scheduler", "oldest-block");
  gpu->set_text("sm.mmu.kind", "tlb");
  gpu->set_text("sm.mmu.policy", "blocking");
  gpu->set_text("sm.mmu.by_page", "false");
  gpu->set_text("sm.mmu.tlb.entries", "1");
  gpu->set_text("sm.mmu.tlb.ways", "1");
  gpu->set_text("sm.mmu.tlb.ports", "1");
  gpu->set_text("check_lines", "true");
  runtime::Device::Options options;
  options.gpu = gpu;
  runtime::Device device(options);
  const runtime::Module module = device.load(kExample, "example.ptx");
  const runtime::DeviceArray<std::uint32_t> data(device, 8 * 1024);
  return device.launch(module.kernel("example"), {1, 1, 1}, {96, 1, 1}, 0, data.address(),
                       static_cast<std::uint32_t>(others));
}

TEST(Figure51, AnOracleThatLooksAheadPutsThreadsOfAPageTogetherAndSparesAWalk) {
  const auto counter = [](const runtime::LaunchStatistics& of, const char* name) { return of.counters.at(name); };
  const runtime::LaunchStatistics mixed = run("tbc", false);
  const runtime::LaunchStatistics by_page = run("tbc-oracle", false);
  // Three warps up to the branch, then {1, 4, 6, 7} and {9, 10, 11, 8} of block B, and one of block C.
  EXPECT_EQ(counter(mixed, "gpu.sm.tbc.warps"), 3u + 3u);
  EXPECT_EQ(counter(by_page, "gpu.sm.tbc_oracle.warps"), 3u + 3u);
  EXPECT_EQ(counter(mixed, "gpu.sm.mmu.instructions"), 2u);
  EXPECT_EQ(counter(by_page, "gpu.sm.mmu.instructions"), 2u);
  // Lane by lane the first needs pages 6 and 1, and the second 1, which is there, and 6: three walks. By page it is one
  // for each.
  EXPECT_EQ(counter(mixed, "gpu.sm.mmu.walker.walks"), 3u);
  EXPECT_EQ(counter(by_page, "gpu.sm.mmu.walker.walks"), 2u);
  EXPECT_EQ(counter(by_page, "gpu.sm.tbc_oracle.oracle.known"), 8u) << "the threads of block B";
  EXPECT_GT(counter(by_page, "gpu.sm.tbc_oracle.oracle.refused"), 0u);
}

TEST(Figure51, AnOracleMayRunMoreWarps) {
  // Of block C, threads 5 and 12 are on one page and 2 and 3 on the other.
  EXPECT_EQ(run("tbc", true).counters.at("gpu.sm.tbc.warps"), 3u + 3u);
  EXPECT_EQ(run("tbc-oracle", true).counters.at("gpu.sm.tbc_oracle.warps"), 3u + 4u);
}

}  // namespace
}  // namespace heddle::test
