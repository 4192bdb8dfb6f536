// Unrolling: which loops, into what, and that nothing else changes.
#include "compile_text.h"

namespace heddle::compile {
namespace {

using isa::Opcode;

constexpr const char* kLoop =
    "ld.param.u64 %d0, [in];\nld.param.u32 %r0, [count];\nmov.u32 %r1, 0;\nmov.f32 %f1, 0f00000000;\n"
    "L: ld.global.f32 %f0, [%d0];\nadd.f32 %f1, %f1, %f0;\nadd.s64 %d0, %d0, 4;\nadd.s32 %r1, %r1, 1;\n"
    "setp.lt.s32 %p0, %r1, %r0;\n@%p0 bra L;\nst.global.f32 [%d0], %f1;\nret;";

Compiled unrolled(const std::string& body, unsigned rounds) {
  CompileOptions options;
  options.unroll = rounds;
  options.free_registers = 64;
  return good_module(body_text(body), options);
}

TEST(Unroll, PutsRoundsOneAfterTheOtherAndStartsTheirLoadsTogether) {
  EXPECT_EQ(unrolled(kLoop, 1).all(Opcode::ld).size(), 1u);
  const Compiled c = unrolled(kLoop, 4);
  const auto loads = c.all(Opcode::ld);
  ASSERT_EQ(loads.size(), 5u) << c.listing();  // four in a pass, one in the rest
  const auto adds = c.all(Opcode::fadd);
  EXPECT_LT(loads[3], adds[0]) << c.listing();
  // A check before, a branch round the pass, one past the rest, one round the rest.
  EXPECT_EQ(c.all(Opcode::bra).size(), 4u) << c.listing();
}

TEST(Unroll, LeavesLoopsAloneThatDoNotCount) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string body = kLoop;
    body.replace(body.find(from), from.size(), to);
    return unrolled(body, 4).all(Opcode::ld).size();
  };
  EXPECT_EQ(with("add.s32 %r1, %r1, 1;", "add.s32 %r1, %r1, %r1;"), 1u);  // not by a constant
  EXPECT_EQ(with("add.s32 %r1, %r1, 1;", "add.s32 %r1, %r1, -1;"), 1u);   // away from the bound
  EXPECT_EQ(with("add.f32 %f1, %f1, %f0;", "add.f32 %f1, %f1, %f0; bar.sync 0;"), 1u);
  EXPECT_EQ(with("setp.lt.s32 %p0, %r1, %r0;", "setp.lt.f32 %p0, %f1, %f0;"), 1u);
  EXPECT_EQ(with("add.s64 %d0, %d0, 4;", "add.s64 %d0, %d0, 4; add.s32 %r0, %r0, -1;"), 1u);  // the bound moves
}

TEST(Unroll, LeavesLoopsAloneThatStoreWhatTheyLoadToTheSameMemory) {
  const auto with = [](const std::string& added) {
    std::string body = kLoop;
    const std::string add = "add.f32 %f1, %f1, %f0;";
    body.replace(body.find(add), add.size(), add + added);
    return unrolled(body, 4).all(Opcode::bra).size() > 1;
  };
  EXPECT_TRUE(with(""));
  EXPECT_FALSE(with("st.global.f32 [%d1], %f0;"));
  EXPECT_FALSE(with("st.global.f32 [%d1], %f1;"));  // by way of the sum
  EXPECT_FALSE(
      with("mul.wide.s32 %d2, %r3, 4; cvt.rzi.s32.f32 %r4, %f0; mul.wide.s32 %d2, %r4, 4; "
           "add.s64 %d2, %d2, %d1; st.global.f32 [%d2], 0f3f800000;"));  // the place
  EXPECT_FALSE(with("setp.gt.f32 %p1, %f0, 0f3f800000; @%p1 st.global.f32 [%d1], 0f3f800000;"));
  EXPECT_TRUE(with("st.global.f32 [%d1], 0f3f800000;"));
  EXPECT_TRUE(with("st.shared.f32 [%r5], %f0;"));
  EXPECT_TRUE(with("ld.shared.f32 %f3, [%r5]; st.global.f32 [%d1], %f3;"));
  EXPECT_TRUE(with("ld.shared.f32 %f3, [%r5]; add.f32 %f3, %f3, %f0; st.global.f32 [%d1], %f3;"));
  EXPECT_FALSE(with("st.f32 [%d1], %f0;"));  // may be the same memory
}

TEST(Unroll, LeavesLoopsAloneWithAtomics) {
  std::string body = kLoop;
  const std::string add = "add.f32 %f1, %f1, %f0;";
  body.replace(body.find(add), add.size(), add + "red.global.add.f32 [%d1], %f0;");
  EXPECT_EQ(unrolled(body, 4).all(Opcode::ld).size(), 1u);
}

TEST(Unroll, LeavesLoopsAloneInWhichADivisionMayBranch) {
  std::string body = kLoop;
  body.replace(body.find("add.f32 %f1, %f1, %f0;"), 22, "div.rn.f32 %f1, %f1, %f0;");
  CompileOptions options;
  options.unroll = 4;
  options.free_registers = 64;
  EXPECT_EQ(good_module(body_text(body), options).all(Opcode::ld).size(), 5u);
  options.branching_divisions = true;
  EXPECT_EQ(good_module(body_text(body), options).all(Opcode::ld).size(), 1u);
}

TEST(Unroll, KeepsPassesSmall) {
  std::string body = kLoop;
  std::string many;
  for (int i = 0; i < 60; ++i) many += "fma.rn.f32 %f1, %f1, %f0, %f0;";
  body.replace(body.find("add.f32 %f1, %f1, %f0;"), 22, many);
  EXPECT_EQ(unrolled(body, 8).all(Opcode::ld).size(), 3u);  // two rounds of 65 instructions fit, and the rest
  EXPECT_EQ(unrolled(kLoop, 8).all(Opcode::ld).size(), 9u);
}

}  // namespace
}  // namespace heddle::compile
