// Copies and dead code disappear; what a program needs stays.
#include "compile_text.h"

namespace heddle::compile {
namespace {

using isa::Opcode;
using Kind = isa::Operand::Kind;

TEST(CopyPropagation, FoldsAKernelParameterIntoArithmetic) {
  const Compiled c = good_body("ld.param.u32 %r0, [count];\nadd.u32 %r1, %r2, %r0;\nst.global.u32 [%d0], %r1;\nret;");
  EXPECT_EQ(c.first(Opcode::iadd).src[1].kind, Kind::constant) << c.listing();
  EXPECT_EQ(c.first(Opcode::iadd).src[1].index, kParameterBase + 8);
  EXPECT_TRUE(c.all(Opcode::mov).empty());
}

TEST(CopyPropagation, FoldsAtMostOneParameterIntoAnInstruction) {
  const Compiled c = good_body(
      "ld.param.u32 %r0, [count];\nld.param.u32 %r1, [in];\nadd.u32 %r2, %r0, %r1;\nst.global.u32 [%d0], %r2;\nret;");
  const isa::Instruction& add = c.first(Opcode::iadd);
  EXPECT_NE(add.src[0].kind == Kind::constant, add.src[1].kind == Kind::constant) << c.listing();
}

TEST(CopyPropagation, FollowsChains) {
  const Compiled c = good_body(
      "ld.global.u32 %r0, [%d0];\nmov.u32 %r1, %r0;\nmov.u32 %r2, %r1;\nmov.u32 %r3, %r2;\nst.global.u32 [%d0], "
      "%r3;\nret;");
  EXPECT_TRUE(c.all(Opcode::mov).empty()) << c.listing();
}

TEST(CopyPropagation, KeepsACopyWhoseSourceChangesLater) {
  const Compiled c = good_body(
      "ld.global.u32 %r0, [%d0];\nmov.u32 %r1, %r0;\nadd.u32 %r0, %r0, 1;\nst.global.u32 [%d0], %r0;\nst.global.u32 "
      "[%d0+4], %r1;\nret;");
  const isa::Instruction& first = c.program.code[c.at_line(6)];
  const isa::Instruction& second = c.program.code[c.at_line(7)];
  EXPECT_NE(first.src[1].index, second.src[1].index) << c.listing();
}

TEST(CopyPropagation, KeepsACopyThatALoopReadsBeforeItIsMade) {
  // %r1 is last iteration's %r0: both are defined once, but %r0 is new by the time %r1 is read.
  const Compiled c = good_body(
      "L: ld.global.u32 %r0, [%d0];\n@%p0 st.global.u32 [%d0+4], %r1;\nmov.u32 %r1, %r0;\nadd.u32 %r2, %r2, %r0;\n"
      "setp.lt.u32 %p1, %r2, 100;\n@%p1 bra L;\nret;");
  EXPECT_NE(c.program.code[c.at_line(4)].src[1].index, c.first(Opcode::ld).dst[0].index) << c.listing();
}

TEST(CopyPropagation, LeavesGuardedCopiesAlone) {
  const Compiled c = good_body(
      "ld.global.u32 %r0, [%d0];\nmov.u32 %r1, 7;\n@%p0 mov.u32 %r1, %r0;\nst.global.u32 [%d0], %r1;\nst.global.u32 "
      "[%d0+4], %r0;\nret;");
  ASSERT_EQ(c.all(Opcode::mov).size(), 2u) << c.listing();
  EXPECT_TRUE(c.program.code[c.all(Opcode::mov)[1]].guard.exists());
}

TEST(DeadCode, LeavesAReductionWhereNobodyReadsWhatAnAtomicReturns) {
  const Compiled c = good_body(
      "atom.global.add.u32 %r0, [%d0], 1;\natom.global.cas.b32 %r1, [%d0+4], 1, 2;\n"
      "atom.global.add.u32 %r2, [%d0+8], 1;\nadd.u32 %r3, %r2, 1;\natom.global.add.u32 %r4, [%d0+12], 1;\n"
      "st.global.u32 [%d0+16], %r4;\nret;");
  ASSERT_EQ(c.all(Opcode::red).size(), 3u) << c.listing();
  for (const std::uint32_t pc : c.all(Opcode::red)) EXPECT_FALSE(c.program.code[pc].dst[0].exists()) << c.listing();
  EXPECT_EQ(c.all(Opcode::atom).size(), 1u) << c.listing();
  EXPECT_TRUE(c.all(Opcode::iadd).empty()) << c.listing();
}

TEST(DeadCode, KeepsWhatAnAtomicReturnsForTheNextRound) {
  const Compiled c = good_body(
      "L: st.global.u32 [%d0+4], %r0;\natom.global.add.u32 %r0, [%d0], 1;\nsetp.lt.u32 %p1, %r1, 100;\n"
      "add.u32 %r1, %r1, 1;\n@%p1 bra L;\nret;");
  EXPECT_EQ(c.all(Opcode::atom).size(), 1u) << c.listing();
}

TEST(DeadCode, GoesWithEverythingThatOnlyFedIt) {
  const Compiled c = good_body("ld.global.u32 %r0, [%d0];\nadd.u32 %r1, %r0, 1;\nmul.lo.u32 %r2, %r1, %r1;\nret;");
  EXPECT_EQ(c.program.code.size(), 1u) << c.listing();
}

TEST(DeadCode, DoesNotTakeWhatOthersCanSee) {
  const Compiled c = good_body(
      "ld.volatile.global.u32 %r0, [%d0];\natom.global.add.u32 %r1, [%d0], 1;\nred.global.add.u32 [%d0], "
      "1;\nst.global.u32 [%d0], %r1;\nbar.sync 0;\n"
      "membar.gl;\nret;");
  for (const Opcode op : {Opcode::ld, Opcode::atom, Opcode::red, Opcode::st, Opcode::bar, Opcode::fence}) {
    EXPECT_EQ(c.all(op).size(), 1u) << c.listing();
  }
}

}  // namespace
}  // namespace heddle::compile
