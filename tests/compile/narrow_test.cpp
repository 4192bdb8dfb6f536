// Addresses of shared and local memory are computed in 32 bits; nothing else loses its high half.
#include "compile_text.h"

namespace heddle::compile {
namespace {

using isa::Opcode;
using Kind = isa::Operand::Kind;

TEST(Narrowing, TakesTheWholeWebOfASharedAddress) {
  const Compiled c = good_body(
      "mul.wide.s32 %d0, %r0, 4;\nmov.u64 %d1, shared_data;\nadd.s64 %d2, %d1, %d0;\nadd.s64 %d3, %d2, "
      "16;\nld.shared.u32 %r1, [%d3];\nst.shared.u32 [%d2], %r1;\nret;");
  for (const isa::Instruction& i : c.program.code) {
    for (const isa::Operand& operand : i.dst) EXPECT_NE(operand.kind, Kind::gpr_pair) << c.listing();
  }
}

TEST(Narrowing, LeavesAWebWithAGlobalAddressAlone) {
  const Compiled c = good_body(
      "mul.wide.s32 %d0, %r0, 4;\nadd.s64 %d2, %d4, %d0;\nld.global.u32 %r1, [%d2];\nst.shared.u32 [%d0], %r1;\nret;");
  EXPECT_EQ(c.first(Opcode::imul).part, isa::Part::wide) << c.listing();
  EXPECT_EQ(c.first(Opcode::iadd).type, isa::Type::s64);
}

TEST(Narrowing, LeavesAWebWhoseHighHalfIsUsedAlone) {
  for (const std::string_view use : {"shr.u64 %d3, %d0, 32;\nst.shared.u64 [0], %d3;", "st.shared.u64 [0], %d0;",
                                     "setp.lt.u64 %p0, %d0, %d1;\n@%p0 st.shared.u32 [0], 1;",
                                     "mul.hi.u64 %d3, %d0, %d0;\nst.shared.u64 [0], %d3;"}) {
    const Compiled c = good_body("add.u64 %d0, %d1, %d2;\n" + std::string(use) + "\nst.shared.u32 [%d0], 1;\nret;");
    EXPECT_EQ(c.first(Opcode::iadd).type, isa::Type::u64) << c.listing();
  }
}

TEST(Narrowing, RemovesConversionsToAndFro) {
  const Compiled c =
      good_body("cvt.s64.s32 %d0, %r0;\nshl.b64 %d1, %d0, 2;\ncvt.u32.u64 %r1, %d1;\nst.global.u32 [%d4], %r1;\nret;");
  EXPECT_TRUE(c.all(Opcode::cvt).empty()) << c.listing();
  EXPECT_EQ(c.first(Opcode::shl).type, isa::Type::b32);
}

TEST(Narrowing, KeepsTheSignOfNarrowSources) {
  const Compiled c = good_body("cvt.s64.s16 %d0, h0;\nst.shared.u32 [%d0+256], 1;\nret;");
  EXPECT_EQ(c.first(Opcode::cvt).type, isa::Type::s32) << c.listing();
  EXPECT_EQ(c.first(Opcode::cvt).source_type, isa::Type::s16);
}

}  // namespace
}  // namespace heddle::compile
