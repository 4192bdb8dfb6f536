// The scheduler: loads start early; dependences, memory order and fixed points stay.
#include "compile_text.h"

namespace heddle::compile {
namespace {

using isa::Opcode;

Compiled scheduled(std::string_view body) { return good_body(body, true); }

TEST(Schedule, HoistsALoadAboveIndependentArithmetic) {
  const Compiled c = scheduled(
      "ld.param.u64 %d0, [in];\nmov.u32 %r0, %tid.x;\nadd.u32 %r1, %r0, 1;\nmul.lo.u32 %r2, %r1, %r1;\nadd.u32 %r3, "
      "%r2, %r1;\n"
      "ld.global.u32 %r4, [%d0];\nadd.u32 %r5, %r4, %r3;\nst.global.u32 [%d0], %r5;\nret;");
  EXPECT_LT(c.at_line(8), c.at_line(5)) << c.listing();
}

TEST(Schedule, StartsIndependentLoadsTogether) {
  const Compiled c = scheduled(
      "ld.param.u64 %d0, [in];\nld.global.f32 %f0, [%d0];\nadd.f32 %f1, %f0, %f0;\nld.global.f32 %f2, "
      "[%d0+4];\nadd.f32 %f3, %f2, %f1;\n"
      "st.global.f32 [%d0], %f3;\nret;");
  EXPECT_LT(c.at_line(6), c.at_line(5)) << c.listing();
}

TEST(Schedule, KeepsALoadBehindAStoreThatMayWriteItsBytes) {
  const Compiled c = scheduled("st.global.u32 [%d0], %r0;\nld.global.u32 %r1, [%d1];\nst.global.u32 [%d2], %r1;\nret;");
  EXPECT_LT(c.at_line(3), c.at_line(4)) << c.listing();
  EXPECT_LT(c.at_line(4), c.at_line(5));
}

TEST(Schedule, LetsALoadPassAStoreToAnotherSpace) {
  const Compiled c = scheduled(
      "mul.lo.u32 %r0, %r2, %r3;\nst.shared.u32 [shared_data], %r0;\nld.global.u32 %r1, [%d1];\nst.global.u32 [%d2], "
      "%r1;\nret;");
  EXPECT_LT(c.at_line(5), c.at_line(4)) << c.listing();
}

TEST(Schedule, DoesNotLetAGenericAccessPassAnyStore) {
  const Compiled c = scheduled(
      "mul.lo.u32 %r0, %r2, %r3;\nst.shared.u32 [shared_data], %r0;\nld.u32 %r1, [%d1];\nst.global.u32 [%d2], "
      "%r1;\nret;");
  EXPECT_LT(c.at_line(4), c.at_line(5)) << c.listing();
}

TEST(Schedule, MovesNoMemoryAccessAcrossABarrierOrAFence) {
  for (const std::string_view wall : {"bar.sync 0;", "membar.gl;", "bar.warp.sync -1;"}) {
    const Compiled c = scheduled("mul.lo.u32 %r2, %r3, %r4;\nst.shared.u32 [shared_data], %r2;\n" + std::string(wall) +
                                 "\nld.global.u32 %r0, [%d0];\nst.global.u32 [%d1], %r0;\nret;");
    EXPECT_LT(c.at_line(4), c.at_line(5)) << c.listing();
    EXPECT_LT(c.at_line(5), c.at_line(6)) << c.listing();
  }
}

TEST(Schedule, KeepsVolatileAccessesInOrder) {
  // The later a load stands, the longer what hangs on it takes: without `.volatile` their order is turned round.
  const auto loads = [](const std::string& kind) {
    return scheduled("ld" + kind + ".shared.u32 %r0, [shared_data];\nld" + kind + ".global.u32 %r1, [%d1];\nld" + kind +
                     ".global.u32 %r2, [%d0];\n" +
                     "mul.lo.u32 %r2, %r2, %r2;\nmul.lo.u32 %r2, %r2, %r2;\nadd.u32 %r3, %r1, %r2;\n"
                     "add.u32 %r3, %r3, %r0;\nst.global.u32 [%d2], %r3;\nret;");
  };
  const Compiled plain = loads("");
  EXPECT_GT(plain.at_line(3), plain.at_line(4)) << plain.listing();
  EXPECT_GT(plain.at_line(4), plain.at_line(5)) << plain.listing();
  const Compiled c = loads(".volatile");
  EXPECT_LT(c.at_line(3), c.at_line(4)) << c.listing();
  EXPECT_LT(c.at_line(4), c.at_line(5)) << c.listing();
}

TEST(Schedule, KeepsReadsOfTheClockWhereTheyAre) {
  const Compiled c = scheduled(
      "mov.u32 %r0, %clock;\nld.global.u32 %r1, [%d0];\nmov.u32 %r2, %clock;\nsub.u32 %r3, %r2, %r0;\n"
      "add.u32 %r3, %r3, %r1;\nst.global.u32 [%d1], %r3;\nret;");
  EXPECT_LT(c.at_line(3), c.at_line(4)) << c.listing();
  EXPECT_LT(c.at_line(4), c.at_line(5));
}

TEST(Schedule, KeepsAGuardedOverwriteBehindTheFirstValue) {
  const Compiled c = scheduled("add.u32 %r0, %r1, 1;\n@%p0 ld.global.u32 %r0, [%d0];\nst.global.u32 [%d1], %r0;\nret;");
  EXPECT_LT(c.at_line(3), c.at_line(4)) << c.listing();
  EXPECT_LT(c.at_line(4), c.at_line(5));
}

TEST(Schedule, LeavesTheBranchAtTheEnd) {
  const Compiled c =
      scheduled("L: ld.global.u32 %r0, [%d0];\nsetp.eq.u32 %p0, %r0, 0;\n@%p0 bra L;\nst.global.u32 [%d0], %r0;\nret;");
  EXPECT_EQ(c.all(Opcode::bra).at(0) + 1, c.at_line(6)) << c.listing();
}

TEST(Schedule, DoesNotRaiseRegisterPressureWithoutBound) {
  // 64 loads that are added up: hoisting them all would take 64 registers.
  std::string body = "ld.param.u64 %d0, [in];\nmov.u32 %r0, 0;\n";
  for (int i = 0; i < 64; ++i) {
    body += "ld.global.u32 %r" + std::to_string(i + 1) + ", [%d0+" + std::to_string(4 * i) +
            "];\nadd.u32 %r0, %r0, %r" + std::to_string(i + 1) + ";\n";
  }
  const Compiled c = scheduled(body + "st.global.u32 [%d0], %r0;\nret;");
  EXPECT_LE(c.program.kernels.at(0).registers, 20u);
}

/// A loop that loads 24 values and adds each to a sum: they can be on their way together if there are registers.
Compiled loop_of_loads(unsigned latency_warps, unsigned lane_registers = 2048) {
  std::string body = "ld.param.u64 %d0, [in];\nld.param.u32 %r0, [count];\nmov.u32 %r1, 0;\nLOOP:\n";
  for (int i = 0; i < 24; ++i) {
    const std::string value = "%r" + std::to_string(10 + i);
    body += "ld.global.u32 " + value + ", [%d0+" + std::to_string(128 * i) + "];\nadd.u32 %r1, %r1, " + value + ";\n";
  }
  body +=
      "add.u64 %d0, %d0, 4096;\nsub.u32 %r0, %r0, 1;\nsetp.ne.u32 %p0, %r0, 0;\n@%p0 bra LOOP;\n"
      "st.global.u32 [%d0], %r1;\nret;";
  CompileOptions options;
  options.free_registers = 10;
  options.latency_warps = latency_warps;
  options.lane_registers = lane_registers;
  return good_module(body_text(body), options);
}

TEST(Schedule, TakesMoreRegistersWhereThatShortensALoop) {
  const auto loads_first = [](const Compiled& c) {
    unsigned count = 0;
    for (const std::uint32_t load : c.all(Opcode::ld)) count += load < c.all(Opcode::iadd).at(0) ? 1 : 0;
    return count;
  };
  const Compiled plain = loop_of_loads(0);
  const Compiled weighed = loop_of_loads(16);
  EXPECT_LT(loads_first(plain), 12u) << plain.listing();
  EXPECT_GE(loads_first(weighed), 24u) << weighed.listing();
  // With few registers in an SM the warps that they cost would have hidden more.
  const Compiled dear = loop_of_loads(16, 64);
  EXPECT_EQ(loads_first(dear), loads_first(plain)) << dear.listing();
}

TEST(Schedule, MovesNothingAcrossADivisionThatMayBranch) {
  const std::string body =
      "ld.global.f32 %f0, [%d0];\ndiv.rn.f32 %f1, %f0, %f0;\nld.global.f32 %f2, [%d0+4];\nadd.f32 %f3, %f2, %f1;\n"
      "st.global.f32 [%d0], %f3;\nret;";
  CompileOptions options;
  options.branching_divisions = true;
  const Compiled branches = good_module(body_text(body), options);
  EXPECT_LT(branches.all(Opcode::fdiv)[0], branches.all(Opcode::ld)[1]) << branches.listing();
  const Compiled does_not = scheduled(body);
  EXPECT_GT(does_not.all(Opcode::fdiv)[0], does_not.all(Opcode::ld)[1]) << does_not.listing();
}

}  // namespace
}  // namespace heddle::compile
