// Shared memory and barriers of a block.
#include "kernel_bench.h"

namespace heddle::runtime {
namespace {

TEST(Barriers, MakeStoresOfOtherWarpsVisible) {
  const auto out = Bench().run(
      "mov.u32 %r9, shared_data; mad.lo.u32 %r10, %r2, 2, %r9; cvt.u16.u32 %h0, %r2; st.shared.u16 [%r10], %h0; "
      "bar.sync 0;\n"
      "xor.b32 %r11, %r2, 127; mad.lo.u32 %r10, %r11, 2, %r9; ld.shared.u16 %r12, [%r10]; st.global.u32 [%d1], %r12;",
      {1}, {128}, 128);
  for (std::uint32_t t = 0; t < 128; ++t) EXPECT_EQ(out[t], t ^ 127);
}

TEST(Barriers, CountPredicates) {
  const auto out = Bench().run(
      "setp.lt.u32 %p0, %r2, 50; bar.red.popc.u32 %r5, 0, %p0; setp.lt.u32 %p1, %r2, 96; bar.red.and.pred %p2, 0, %p1; "
      "bar.red.or.pred %p3, 0, !%p1; bar.red.and.pred %p4, 0, 1;\n"
      "@%p2 add.u32 %r5, %r5, 1000; @%p3 add.u32 %r5, %r5, 2000; @%p4 add.u32 %r5, %r5, 4000; st.global.u32 [%d1], "
      "%r5;",
      {1}, {96}, 96);
  for (const std::uint32_t value : out) EXPECT_EQ(value, 5050u);
}

TEST(Barriers, OfDifferentNamesDoNotMix) {
  // Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2; each pair exchanges a value.
  const auto out = Bench().run(
      "shr.u32 %r3, %r2, 5; shr.u32 %r4, %r3, 1; add.u32 %r4, %r4, 1; mov.u32 %r9, shared_data; mad.lo.u32 %r10, %r3, "
      "4, %r9; st.shared.u32 [%r10], %r3;\n"
      "bar.sync %r4, 64; xor.b32 %r5, %r3, 1; mad.lo.u32 %r10, %r5, 4, %r9; ld.shared.u32 %r6, [%r10]; st.global.u32 "
      "[%d1], %r6;",
      {1}, {128}, 128);
  for (std::uint32_t t = 0; t < 128; ++t) EXPECT_EQ(out[t], (t / 32) ^ 1);
}

TEST(Barriers, LetProducersArriveWithoutWaiting) {
  // Warp 0 produces and goes on; warp 1 waits for it.
  const auto out = Bench().run(
      "shr.u32 %r3, %r2, 5; setp.eq.u32 %p0, %r3, 1; mov.u32 %r5, 1; @%p0 bra CONSUMER;\nst.shared.u32 [shared_data], "
      "42; bar.arrive 3, 64; bra E;\n"
      "CONSUMER: bar.sync 3, 64; ld.shared.u32 %r5, [shared_data];\nE: st.global.u32 [%d1], %r5;",
      {1}, {64}, 64);
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t < 32 ? 1u : 42u);
}

TEST(Barriers, DoNotWaitForWarpsThatEnded) {
  const auto out =
      Bench().run("setp.lt.u32 %p0, %r2, 64; @%p0 exit; bar.sync 0; st.global.u32 [%d1], 5;", {1}, {128}, 128);
  for (std::uint32_t t = 0; t < 128; ++t) EXPECT_EQ(out[t], t < 64 ? 0u : 5u);
}

TEST(Barriers, AreReleasedByAWarpThatEndsLater) {
  // Warp 0 waits at the barrier before warp 1, which never gets there, ends.
  const auto out =
      Bench().run("setp.ge.u32 %p0, %r2, 32; @%p0 exit; bar.sync 0; st.global.u32 [%d1], 5;", {1}, {64}, 64);
  EXPECT_EQ(out[0], 5u);
}

TEST(Barriers, WorkWithBlocksThatFillNoWarp) {
  const auto out = Bench().run(
      "setp.eq.u32 %p1, %r2, 40; bar.red.popc.u32 %r5, 0, %p1; bar.sync 0; st.global.u32 [%d1], %r5;", {1}, {41}, 41);
  EXPECT_EQ(out, std::vector<std::uint32_t>(41, 1));
}

TEST(Barriers, ThatNobodyElseReachesAreADeadlock) {
  const LaunchError error =
      Bench().fault("setp.lt.u32 %p0, %r2, 32; @%p0 bra W;\nbar.sync 2;\nbra E;\nW: bar.sync 1;\nE:", {1}, {64});
  EXPECT_EQ(error.cuda_error(), 702);
  const std::string report = error.what();
  EXPECT_NE(report.find("kernel 'k'"), std::string::npos) << report;
  EXPECT_NE(report.find("test.ptx:7"), std::string::npos) << report;
  EXPECT_NE(report.find("2 warps wait at a barrier"), std::string::npos) << report;
}

TEST(SharedMemory, IsSeparateForEveryBlock) {
  const auto out = Bench().run(
      "atom.shared.add.u32 %r5, [shared_data], 1; bar.sync 0; ld.shared.u32 %r6, [shared_data]; st.global.u32 [%d1], "
      "%r6;",
      {5}, {64}, 320);
  EXPECT_EQ(out, std::vector<std::uint32_t>(320, 64));
}

TEST(SharedMemory, HasADynamicPart) {
  const auto out = Bench().run(
      "mov.u32 %r9, dynamic; mad.lo.u32 %r10, %r2, 4, %r9; st.shared.u32 [%r10], %r2; st.shared.u32 [shared_data], "
      "9999; bar.sync 0; mov.u32 %r11, %dynamic_smem_size; sub.u32 %r12, 63, %r2;\n"
      "mad.lo.u32 %r10, %r12, 4, %r9; ld.shared.u32 %r5, [%r10]; add.u32 %r5, %r5, %r11; st.global.u32 [%d1], %r5;",
      {2}, {64}, 128, ".extern .shared .align 16 .b8 dynamic[];", 256);
  for (std::uint32_t t = 0; t < 128; ++t) EXPECT_EQ(out[t], 256 + 63 - t % 64);
}

TEST(SharedMemory, DynamicPartIsFoundByFunctions) {
  const auto out = Bench().run(
      "st.shared.u32 [shared_data], 1; bar.sync 0; .param .b32 r; call (r), f; ld.param.b32 %r5, [r]; ld.shared.u32 "
      "%r6, [shared_data]; add.u32 %r5, %r5, %r6; st.global.u32 [%d1], %r5;",
      {1}, {32}, 32,
      ".extern .shared .align 16 .b8 dynamic[]; .func (.param .b32 r) f() { .reg .b32 x; st.shared.u32 [dynamic+4], "
      "70; ld.shared.u32 x, [dynamic+4]; st.param.b32 [r], x; ret; }",
      64);
  EXPECT_EQ(out, std::vector<std::uint32_t>(32, 71));
}

}  // namespace
}  // namespace heddle::runtime
