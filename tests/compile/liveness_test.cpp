// Liveness, and soft definitions (RegLess, section 4.4.4, Algorithm 2).
#include "compile/liveness.h"

#include "compile_text.h"

namespace heddle::compile {
namespace {

using isa::Opcode;
using isa::Operand;

/// A function over physical registers: `define` writes a register, `use` reads one.
class Builder {
 public:
  explicit Builder(std::vector<std::vector<std::uint32_t>> edges) {
    f_.blocks.resize(edges.size());
    for (std::uint32_t b = 0; b < edges.size(); ++b) {
      f_.blocks[b].successors = edges[b];
      for (const std::uint32_t s : edges[b]) f_.blocks[s].predecessors.push_back(b);
    }
  }
  Builder& define(std::uint32_t block, std::uint32_t reg, bool guarded = false) {
    isa::Instruction i;
    i.op = Opcode::mov;
    i.dst[0] = register_operand(RegisterClass::gpr, reg);
    i.src[0] = immediate_operand(1, false);
    if (guarded) i.guard.predicate = 0;
    f_.blocks[block].code.push_back(i);
    return *this;
  }
  Builder& use(std::uint32_t block, std::uint32_t reg) {
    isa::Instruction i;
    i.op = Opcode::st;
    i.src[1] = register_operand(RegisterClass::gpr, reg);
    f_.blocks[block].code.push_back(i);
    return *this;
  }
  MachineFunction marked() {
    mark_soft_definitions(f_);
    return f_;
  }
  [[nodiscard]] const MachineFunction& function() const { return f_; }

 private:
  MachineFunction f_;
};

constexpr std::uint32_t kR = 3;
bool is_soft(const MachineFunction& f, std::uint32_t block, std::size_t n = 0) {
  return f.blocks[block].code[n].soft_definition;
}

TEST(Liveness, EndsAtADefinitionAndPassesAGuardedOne) {
  const Liveness hard = live_physical(Builder({{1}, {}}).define(0, kR).use(1, kR).function());
  EXPECT_FALSE(hard.in[0].contains(kR));
  EXPECT_TRUE(hard.out[0].contains(kR));
  EXPECT_TRUE(hard.in[1].contains(kR));
  const Liveness guarded = live_physical(Builder({{1}, {}}).define(0, kR, true).use(1, kR).function());
  EXPECT_TRUE(guarded.in[0].contains(kR));
}

TEST(Liveness, GoesAroundALoop) {
  const Liveness live = live_physical(Builder({{1}, {2, 1}, {}}).define(0, kR).use(1, kR).function());
  EXPECT_TRUE(live.out[1].contains(kR));
  EXPECT_FALSE(live.in[2].contains(kR));
}

TEST(Liveness, CountsBothHalvesOfAPair) {
  MachineFunction f = Builder(std::vector<std::vector<std::uint32_t>>(1)).use(0, kR).function();
  f.blocks[0].code[0].src[1] = register_operand(RegisterClass::pair, 4);
  const Liveness live = live_physical(f);
  EXPECT_TRUE(live.in[0].contains(4));
  EXPECT_TRUE(live.in[0].contains(5));
  EXPECT_FALSE(live.in[0].contains(kR));
}

TEST(SoftDefinitions, AreThoseOnOneSideOfABranchWhoseOtherSideReadsTheOldValue) {
  // 0 branches to 1 and 2, which meet in 3; 1 defines, 2 reads.
  const MachineFunction f = Builder({{1, 2}, {3}, {3}, {}}).define(0, kR).define(1, kR).use(1, kR).use(2, kR).marked();
  EXPECT_TRUE(is_soft(f, 1));
  EXPECT_FALSE(is_soft(f, 0));
}

TEST(SoftDefinitions, AreThoseWhoseOldValueIsReadAfterTheSidesMeet) {
  // An if without else: lanes that skip it carry the old value to block 2.
  const MachineFunction f = Builder({{1, 2}, {2}, {}}).define(0, kR).define(1, kR).use(2, kR).marked();
  EXPECT_TRUE(is_soft(f, 1));
}

TEST(SoftDefinitions, AreNotThoseThatBothSidesMake) {
  const MachineFunction f =
      Builder({{1, 2}, {3}, {3}, {}}).define(0, kR).use(0, kR).define(1, kR).define(2, kR).use(3, kR).marked();
  EXPECT_FALSE(is_soft(f, 1));
  EXPECT_FALSE(is_soft(f, 2));
}

TEST(SoftDefinitions, AreNotThoseBehindTheReconvergencePoint) {
  const MachineFunction f =
      Builder({{1, 2}, {3}, {3}, {}}).define(0, kR).use(1, kR).use(2, kR).define(3, kR).use(3, kR).marked();
  EXPECT_FALSE(is_soft(f, 3));
}

TEST(SoftDefinitions, AreThoseInALoopThatLanesLeaveWithTheOldValue) {
  // Lanes leave from 1 to 3 with the value they had; those that stay redefine it in 2.
  const MachineFunction f = Builder({{1}, {3, 2}, {1}, {}}).define(0, kR).use(2, kR).define(2, kR).use(3, kR).marked();
  EXPECT_TRUE(is_soft(f, 2, 1));
}

TEST(SoftDefinitions, DoNotEndALiveRange) {
  const MachineFunction f = Builder({{1, 2}, {3}, {3}, {}}).define(0, kR).define(1, kR).use(1, kR).use(2, kR).marked();
  EXPECT_TRUE(live_physical(f).in[1].contains(kR));
}

TEST(SoftDefinitions, AreFoundThroughOtherSoftDefinitions) {
  // 0 branches to 1 and 5. In 1 a second branch makes the definition in 2 soft, because 3 reads. Only because that
  // definition does not kill is the register live into 1 again, and the definition in 5 soft.
  const MachineFunction f = Builder({{1, 5}, {2, 3}, {4}, {4}, {6}, {6}, {}})
                                .define(0, kR)
                                .define(1, kR + 1)
                                .define(2, kR)
                                .use(2, kR)
                                .use(3, kR)
                                .define(5, kR)
                                .use(5, kR)
                                .marked();
  EXPECT_TRUE(is_soft(f, 2));
  EXPECT_TRUE(is_soft(f, 5));
}

TEST(SoftDefinitions, OfACompiledKernelShowInItsCode) {
  const Compiled c = good_body(
      "ld.global.u32 %r0, [%d0];\nsetp.eq.u32 %p0, %r0, 0;\n@%p0 bra L;\nld.global.u32 %r0, [%d0+4];\nL: st.global.u32 "
      "[%d0], %r0;\nret;");
  EXPECT_TRUE(c.program.code[c.at_line(6)].soft_definition) << c.listing();
  EXPECT_FALSE(c.program.code[c.at_line(3)].soft_definition);
}

TEST(LiveCounts, AreThoseBeforeEachInstruction) {
  const Compiled c = good_body(
      "ld.param.u64 %d0, [in];\nld.global.u32 %r0, [%d0];\nadd.u32 %r1, %r0, 1;\nst.global.u32 [%d0], %r1;\nret;");
  EXPECT_EQ(c.program.live.at(c.at_line(4)), 2u) << c.listing();
  EXPECT_EQ(c.program.live.at(c.at_line(5)), 3u);
  EXPECT_EQ(c.program.live.at(c.at_line(6)), 3u);
  EXPECT_EQ(c.program.live.at(c.all(Opcode::exit).at(0)), 0u);
}

}  // namespace
}  // namespace heddle::compile
