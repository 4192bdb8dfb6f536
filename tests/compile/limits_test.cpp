// Large inputs: compile time and memory stay in proportion, and what is too large is refused.
#include <fmt/format.h>

#include "compile_text.h"

namespace heddle::compile {
namespace {

TEST(Limits, ManyIndexedBranchesToManyTargetsCompile) {
  std::string targets;
  std::string code;
  for (int i = 0; i < 400; ++i) {
    targets += fmt::format("{}X{}", i == 0 ? "" : ", ", i);
    code += fmt::format("brx.idx %r0, T;\nX{}: add.u32 %r0, %r0, 1;\n", i);
  }
  EXPECT_EQ(good_body("T: .branchtargets " + targets + ";\n" + code + "st.global.u32 [%d0], %r0;\nret;")
                .program.branch_tables.size(),
            1u);
}

TEST(Limits, ThousandsOfLiveValuesSpill) {
  std::string text =
      ".visible .entry k(.param .u64 in) { .reg .b32 %r<2000>; .reg .b64 %d<2>; .reg .pred %p<300>;\nld.param.u64 %d0, "
      "[in];\n";
  for (int i = 0; i < 2000; ++i) text += fmt::format("ld.global.u32 %r{}, [%d0+{}];\n", i, 4 * i);
  for (int i = 0; i < 300; ++i) text += fmt::format("setp.lt.u32 %p{}, %r{}, 5;\n", i, i);
  for (int i = 0; i < 2000; ++i) text += fmt::format("@%p{} st.global.u32 [%d0+{}], %r{};\n", i % 300, 4 * i, i);
  const Compiled c = good_module(text + "ret; }");
  EXPECT_LE(c.program.kernels.at(0).registers, 255u);
  EXPECT_LE(c.program.kernels[0].predicates, kPredicateRegisters);
}

TEST(Limits, HundredsOfEndlessLoopsHaveReconvergencePoints) {
  std::string code;
  for (int i = 0; i < 500; ++i)
    code += fmt::format(
        "@%p0 bra E{0};\nL{0}: add.u32 %r0, %r0, 1;\nst.global.u32 [%d0], %r0;\nbra L{0};\nE{0}: add.u32 %r1, %r1, "
        "1;\n",
        i);
  EXPECT_FALSE(good_body(code + "ret;").program.code.empty());
}

}  // namespace
}  // namespace heddle::compile
