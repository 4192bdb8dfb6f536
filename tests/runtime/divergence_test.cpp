// Lanes of one warp that go different ways compute what each would alone, and meet again.
#include "kernel_bench.h"

namespace heddle::runtime {
namespace {

TEST(Divergence, OfAnIfElseGivesEachLaneItsSide) {
  EXPECT_EQ(
      Bench().run_warp(
          "setp.lt.u32 %p0, %r0, 10; @%p0 bra A; mov.u32 %r5, 2; bra B; A: mov.u32 %r5, 1; B: activemask.b32 %r6;\n"
          "setp.ne.u32 %p1, %r6, -1; @%p1 mov.u32 %r5, 99; st.global.u32 [%d1], %r5;"),
      lanes([](auto lane) { return lane < 10 ? 1 : 2; }));
}

TEST(Divergence, NestsAndReconvergesInside) {
  EXPECT_EQ(
      Bench().run_warp(
          "and.b32 %r3, %r0, 1; and.b32 %r4, %r0, 2; setp.eq.u32 %p0, %r3, 0; setp.eq.u32 %p1, %r4, 0; mov.u32 %r5, "
          "0;\n"
          "@%p0 bra OUT; @%p1 bra IN; add.u32 %r5, %r5, 100;\nIN: activemask.b32 %r6; popc.b32 %r6, %r6; add.u32 %r5, "
          "%r5, %r6;\n"
          "OUT: activemask.b32 %r6; popc.b32 %r6, %r6; mad.lo.u32 %r5, %r6, 1000, %r5; st.global.u32 [%d1], %r5;"),
      lanes([](auto lane) { return 32000 + (lane % 2 == 0 ? 0 : 16 + (lane & 2 ? 100 : 0)); }));
}

TEST(Divergence, OfLoopsLetsEveryLaneCountItsOwnTrips) {
  EXPECT_EQ(Bench().run_warp(
                "mov.u32 %r5, 0; mov.u32 %r6, 0;\nL: add.u32 %r5, %r5, %r6; add.u32 %r6, %r6, 1; setp.le.u32 %p0, %r6, "
                "%r0; @%p0 bra L;\n"
                "activemask.b32 %r7; setp.ne.u32 %p1, %r7, -1; @%p1 mov.u32 %r5, 9999; st.global.u32 [%d1], %r5;"),
            lanes([](auto lane) { return lane * (lane + 1) / 2; }));
}

TEST(Divergence, OfNestedLoopsWithBreaksAndContinuesEndsRight) {
  // for (i = 0; i < lane; ++i) { if (i == 20) break; if (i % 3 == 0) continue; for (j = 0; j < i; ++j) ++sum; }
  EXPECT_EQ(Bench().run_warp(
                "mov.u32 %r5, 0; mov.u32 %r6, 0;\nFOR: setp.ge.u32 %p0, %r6, %r0; @%p0 bra DONE; setp.eq.u32 %p1, %r6, "
                "20; @%p1 bra DONE;\n"
                "rem.u32 %r7, %r6, 3; setp.eq.u32 %p2, %r7, 0; @%p2 bra NEXT; mov.u32 %r8, 0;\n"
                "IN: setp.ge.u32 %p3, %r8, %r6; @%p3 bra NEXT; add.u32 %r5, %r5, 1; add.u32 %r8, %r8, 1; bra IN;\n"
                "NEXT: add.u32 %r6, %r6, 1; bra FOR;\nDONE: st.global.u32 [%d1], %r5;"),
            lanes([](auto lane) {
              std::uint32_t sum = 0;
              for (std::uint32_t i = 0; i < lane && i != 20; ++i) sum += i % 3 == 0 ? 0 : i;
              return sum;
            }));
}

TEST(Divergence, EndsForLanesThatReturnEarly) {
  EXPECT_EQ(Bench().run_warp("setp.lt.u32 %p0, %r0, 16; @%p0 bra IN; bra MORE;\nIN: st.global.u32 [%d1], 7; "
                             "setp.lt.u32 %p1, %r0, 8; @%p1 bra END;\n"
                             "MORE: activemask.b32 %r5; st.global.u32 [%d1], %r5;\nEND: ret;"),
            lanes([](auto lane) { return lane < 8 ? 7u : 0xffffff00u; }));
}

TEST(Divergence, DoesNotHoldABarrierUpForLanesThatReturnedEarly) {
  // Half of each warp writes shared memory before the barrier, after some lanes of that half left.
  const auto out = Bench().run(
      "and.b32 %r3, %r2, 31; mad.wide.u32 %d3, %r2, 4, 0; cvt.u32.u64 %r9, %d3; mov.u32 %r10, shared_data; add.u32 "
      "%r9, %r9, %r10;\n"
      "setp.ge.u32 %p0, %r3, 16; @%p0 bra M; setp.lt.u32 %p1, %r3, 4; @%p1 bra END; st.shared.u32 [%r9], %r2;\n"
      "M: bar.sync 0; xor.b32 %r11, %r2, 32; and.b32 %r11, %r11, 47; shl.b32 %r11, %r11, 2; add.u32 %r11, %r11, %r10; "
      "ld.shared.u32 %r12, [%r11];\n"
      "st.global.u32 [%d1], %r12;\nEND: ret;",
      {1}, {64}, 64);
  for (std::uint32_t t = 0; t < 64; ++t) {
    const std::uint32_t from = (t ^ 32) & 47;
    EXPECT_EQ(out[t], t % 32 < 4 || from % 32 < 4 ? 0u : from) << t;
  }
}

TEST(Divergence, OfAnIndexedBranchTakesEveryTarget) {
  EXPECT_EQ(Bench().run_warp("T: .branchtargets A, B, C, B;\nand.b32 %r3, %r0, 3; brx.idx %r3, T;\nA: mov.u32 %r5, 10; "
                             "bra E;\nB: mov.u32 %r5, 20; bra E;\n"
                             "C: mov.u32 %r5, 30;\nE: activemask.b32 %r6; popc.b32 %r6, %r6; add.u32 %r5, %r5, %r6; "
                             "st.global.u32 [%d1], %r5;"),
            lanes([](auto lane) {
              return 32 + std::array{10, 20, 30, 20}[lane % 4];
            }));
}

TEST(Divergence, OfAGuardedIndexedBranchLetsTheOthersFallThrough) {
  EXPECT_EQ(Bench().run_warp("T: .branchtargets A, B;\nmov.u32 %r5, 5; and.b32 %r3, %r0, 1; setp.lt.u32 %p0, %r0, 16; "
                             "@%p0 brx.idx %r3, T;\nbra E;\n"
                             "A: mov.u32 %r5, 1; bra E;\nB: mov.u32 %r5, 2;\nE: st.global.u32 [%d1], %r5;"),
            lanes([](auto lane) { return lane >= 16 ? 5 : 1 + lane % 2; }));
}

TEST(Divergence, LetsLanesUseARegisterAloneWhileOthersUseItInAPair) {
  // Lanes from 16 up wait with 64-bit values, whose registers the others take for 32-bit ones.
  std::string body =
      "cvt.u64.u32 %d4, %r0; mul.lo.u64 %d4, %d4, 0x100000003; add.u64 %d5, %d4, 7; setp.lt.u32 %p0, %r0, 16; @%p0 bra "
      "A;\n"
      "add.u64 %d6, %d4, %d5; shr.u64 %d7, %d6, 32; cvt.u32.u64 %r5, %d6; cvt.u32.u64 %r6, %d7; mad.lo.u32 %r5, %r6, "
      "1000, %r5; bra B;\nA: ";
  for (int i = 0; i < 12; ++i)
    body += "mul.lo.u32 %r" + std::to_string(i + 10) + ", %r0, " + std::to_string(i + 2) + "; ";
  body += "mov.u32 %r5, 0; ";
  for (int i = 0; i < 12; ++i) body += "add.u32 %r5, %r5, %r" + std::to_string(i + 10) + "; ";
  EXPECT_EQ(Bench().run_warp(body + "\nB: st.global.u32 [%d1], %r5;"),
            lanes([](auto lane) { return lane < 16 ? lane * 90 : 6 * lane + 7 + 2 * lane * 1000; }));
}

TEST(WarpOperations, UnderDivergenceSeeTheActiveLanes) {
  EXPECT_EQ(Bench().run_warp("setp.lt.u32 %p0, %r0, 12; setp.gt.u32 %p2, %r0, 3; @!%p0 bra B;\nvote.sync.ballot.b32 "
                             "%r5, %p2, 0xfff; bra C;\n"
                             "B: vote.sync.ballot.b32 %r5, %p2, 0xfffff000;\nC: st.global.u32 [%d1], %r5;"),
            lanes([](auto lane) { return lane < 12 ? 0xff0u : 0xfffff000u; }));
  EXPECT_EQ(Bench().run_warp("setp.lt.u32 %p0, %r0, 8; mov.u32 %r5, 77; @!%p0 bra C; shfl.sync.bfly.b32 %r5, %r0, 1, "
                             "31, 0xff;\nC: st.global.u32 [%d1], %r5;"),
            lanes([](auto lane) { return lane < 8 ? lane ^ 1 : 77; }));
  EXPECT_EQ(Bench().run_warp("setp.lt.u32 %p0, %r0, 8; mov.u32 %r5, 77; @%p0 redux.sync.add.u32 %r5, %r0, 0xff; "
                             "st.global.u32 [%d1], %r5;"),
            lanes([](auto lane) { return lane < 8 ? 28 : 77; }));
}

TEST(WarpOperations, MayDropOneOfTwoResults) {
  EXPECT_EQ(Bench().run_warp("elect.sync _|%p1, -1; selp.u32 %r5, 1, 0, %p1; shfl.sync.up.b32 %r6|%p2, %r0, 1, 0, -1; "
                             "@!%p2 add.u32 %r5, %r5, 10; st.global.u32 [%d1], %r5;"),
            lanes([](auto lane) { return lane == 0 ? 11 : 0; }));
}

TEST(Guards, WorkOnEveryKindOfInstruction) {
  EXPECT_EQ(Bench().run_warp(
                "setp.lt.u32 %p0, %r0, 16; mov.u32 %r5, 1; mov.u64 %d5, 5; mov.f32 %f1, 0f3f800000;\n@%p0 add.u32 %r5, "
                "%r5, 10; @!%p0 add.u64 %d5, %d5, 100; @%p0 mul.f32 %f1, %f1, 0f40000000;\n"
                "@%p0 st.global.u32 [%d1], %r5; @!%p0 ld.global.u32 %r6, [%d1]; @%p0 atom.global.add.u32 %r7, [%d1], "
                "1; @%p0 setp.eq.u32 %p1, %r0, 3; @!%p0 setp.eq.u32 %p1, %r0, 20;\n"
                "@%p1 red.global.add.u32 [%d1], 1000; @%p0 selp.u32 %r8, 1, 2, %p1; @!%p0 cvt.u32.u64 %r10, %d5; @!%p0 "
                "st.global.u32 [%d1], %r10; @!%p0 exit; cvt.rzi.u32.f32 %r9, %f1; red.global.add.u32 [%d1], %r9;"),
            lanes([](auto lane) { return lane < 16 ? 14 + (lane == 3 ? 1000 : 0) : 105u; }));
}

}  // namespace
}  // namespace heddle::runtime
