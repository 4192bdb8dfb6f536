// Basic blocks, dominators, post-dominators and the points where diverged lanes meet again.
#include "compile_text.h"

namespace heddle::compile {
namespace {

using Graph = std::vector<std::vector<std::uint32_t>>;
using isa::Opcode;

/// Whether every path from the root to b passes a, by walking without a.
bool separates(const Graph& graph, std::uint32_t root, std::uint32_t a, std::uint32_t b) {
  if (a == b) return true;
  std::vector<bool> seen(graph.size(), false);
  std::vector<std::uint32_t> pending{root};
  while (!pending.empty()) {
    const std::uint32_t node = pending.back();
    pending.pop_back();
    if (node == a || seen[node]) continue;
    seen[node] = true;
    for (const std::uint32_t s : graph[node]) pending.push_back(s);
  }
  return !seen[b];
}

bool reaches(const Graph& graph, std::uint32_t root, std::uint32_t b) { return !separates(graph, root, kNoBlock, b); }

TEST(Dominators, OfADiamondAreItsTop) {
  const DominatorTree tree({{1, 2}, {3}, {3}, {}}, 0);
  EXPECT_EQ(tree.parent(0), kNoBlock);
  EXPECT_EQ(tree.parent(1), 0u);
  EXPECT_EQ(tree.parent(2), 0u);
  EXPECT_EQ(tree.parent(3), 0u);
  EXPECT_TRUE(tree.dominates(3, 3));
  EXPECT_FALSE(tree.dominates(1, 3));
}

TEST(Dominators, OfAnIrreducibleGraphAreFound) {
  // 1 and 2 form a loop with two entries.
  const DominatorTree tree({{1, 2}, {2, 3}, {1}, {}}, 0);
  EXPECT_EQ(tree.parent(1), 0u);
  EXPECT_EQ(tree.parent(2), 0u);
  EXPECT_EQ(tree.parent(3), 1u);
}

TEST(Dominators, AgreeWithTheirDefinitionOnRandomGraphs) {
  std::uint32_t state = 1;
  const auto random = [&](std::uint32_t bound) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % bound;
  };
  for (int trial = 0; trial < 200; ++trial) {
    const std::uint32_t nodes = 2 + random(12);
    Graph graph(nodes);
    for (std::uint32_t n = 0; n < nodes; ++n) {
      for (std::uint32_t edges = random(3); edges > 0; --edges) graph[n].push_back(random(nodes));
    }
    const DominatorTree tree(graph, 0);
    for (std::uint32_t b = 0; b < nodes; ++b) {
      if (!reaches(graph, 0, b)) {
        EXPECT_EQ(tree.parent(b), kNoBlock);
        continue;
      }
      for (std::uint32_t a = 0; a < nodes; ++a) {
        if (!reaches(graph, 0, a)) continue;
        EXPECT_EQ(tree.dominates(a, b), separates(graph, 0, a, b)) << a << " " << b;
      }
    }
  }
}

TEST(Blocks, EndAtBranchesAndBeginAtTheirTargets) {
  const MachineFunction f =
      body_blocks("setp.eq.u32 %p0, %r0, 0;\n@%p0 bra L;\nmov.u32 %r1, 1;\nL: mov.u32 %r2, 2;\nret;");
  ASSERT_EQ(f.blocks.size(), 3u);
  EXPECT_EQ(f.blocks[0].successors, (std::vector<std::uint32_t>{2, 1}));
  EXPECT_EQ(f.blocks[1].successors, (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(f.blocks[2].predecessors, (std::vector<std::uint32_t>{0, 1}));
}

TEST(Blocks, ThatNothingReachesAreDropped) {
  const MachineFunction f =
      body_blocks("bra L;\nmov.u32 %r1, 1;\nM: mov.u32 %r2, 1;\nbra M;\nL: st.global.u32 [%d0], %r0;");
  ASSERT_EQ(f.blocks.size(), 2u);
  EXPECT_EQ(f.blocks[1].code[0].op, Opcode::st);
}

TEST(Reconvergence, OfAnIfIsWhatFollowsIt) {
  const Compiled c = good_body(
      "setp.eq.u32 %p0, %r0, 0;\n@%p0 bra L;\nst.global.u32 [%d0], %r0;\nL: st.global.u32 [%d0+4], %r0;\nret;");
  EXPECT_EQ(c.first(Opcode::bra).reconvergence, c.at_line(6)) << c.listing();
}

TEST(Reconvergence, OfAnIfElseIsBehindBothSides) {
  const Compiled c = good_body(
      "@%p0 bra L;\nst.global.u32 [%d0], 1;\nbra M;\nL: st.global.u32 [%d0], 2;\nM: st.global.u32 [%d0+4], 3;\nret;");
  EXPECT_EQ(c.first(Opcode::bra).reconvergence, c.at_line(7)) << c.listing();
}

TEST(Reconvergence, OfALoopsBackEdgeIsItsExit) {
  const Compiled c =
      good_body("L: add.u32 %r0, %r0, 1;\nsetp.lt.u32 %p0, %r0, %r1;\n@%p0 bra L;\nst.global.u32 [%d0], %r0;\nret;");
  EXPECT_EQ(c.first(Opcode::bra).reconvergence, c.at_line(6)) << c.listing();
}

TEST(Reconvergence, OfNestedIfsNests) {
  const Compiled c = good_body(
      "@%p0 bra OUT;\n@%p1 bra IN;\nst.global.u32 [%d0], 1;\nIN: st.global.u32 [%d0], 2;\nOUT: st.global.u32 [%d0], "
      "3;\nret;");
  const auto branches = c.all(Opcode::bra);
  ASSERT_EQ(branches.size(), 2u);
  EXPECT_EQ(c.program.code[branches[0]].reconvergence, c.at_line(7));
  EXPECT_EQ(c.program.code[branches[1]].reconvergence, c.at_line(6));
}

TEST(Reconvergence, OfAnIndexedBranchIsBehindAllTargets) {
  const Compiled c = good_body(
      "T: .branchtargets A, B, C;\nbrx.idx %r0, T;\nA: st.global.u32 [%d0], 1;\nbra E;\nB: st.global.u32 [%d0], 2;\n"
      "bra E;\nC: st.global.u32 [%d0], 3;\nE: st.global.u32 [%d0+4], 4;\nret;");
  const isa::Instruction& brx = c.first(Opcode::brx);
  EXPECT_EQ(brx.reconvergence, c.at_line(10)) << c.listing();
  EXPECT_EQ(c.program.branch_tables.at(brx.target),
            (std::vector<std::uint32_t>{c.at_line(5), c.at_line(7), c.at_line(9)}));
}

TEST(Reconvergence, IsNotPutOffByAnEarlyExit) {
  // Lanes that leave need not be waited for: those of the inner branch that stay meet the others at M.
  const Compiled c = good_body(
      "@%p0 bra M;\nst.global.u32 [%d0], 1;\n@%p1 bra END;\nst.global.u32 [%d0], 2;\nM: bar.sync 0;\nst.global.u32 "
      "[%d0], 3;\nEND: ret;");
  EXPECT_EQ(c.first(Opcode::bra).reconvergence, c.at_line(7)) << c.listing();
  ASSERT_EQ(c.all(Opcode::bra).size(), 1u) << "a branch to the end is an exit:\n" << c.listing();
  EXPECT_TRUE(c.first(Opcode::exit).guard.exists());
}

TEST(Reconvergence, IsAtTheExitWhereSidesNeverMeet) {
  const Compiled c = good_body("@%p0 bra L;\nst.global.u32 [%d0], 1;\nret;\nL: st.global.u32 [%d0], 2;\nret;");
  EXPECT_EQ(c.first(Opcode::bra).reconvergence, isa::kNoPc);
}

TEST(Reconvergence, OfEndlessLoopsExists) {
  const Compiled c = good_body("L: @%p0 bra M;\nst.global.u32 [%d0], 1;\nM: st.global.u32 [%d0], 2;\nbra L;");
  EXPECT_EQ(c.first(Opcode::bra).reconvergence, c.at_line(5)) << c.listing();
}

TEST(Reconvergence, IsBeforeTheOnlyWayOutOfALoopEvenIfThatIsAGuardedExit) {
  // Rotated as compilers do it: the loop's end stands before its head, and leaves by a jump to the end.
  const Compiled c = good_body(
      "bra HEAD;\nSTORE: st.global.u32 [%d0], 1;\nNEXT: bar.sync 0;\n@%p1 bra END;\nHEAD: bar.sync 0;\n@%p0 bra "
      "NEXT;\nst.global.u32 [%d0+4], 2;\nbra STORE;\nEND: ret;");
  const auto branches = c.all(Opcode::bra);
  ASSERT_EQ(branches.size(), 3u) << c.listing();
  EXPECT_EQ(c.program.code[branches[1]].reconvergence, c.at_line(5)) << c.listing();
}

TEST(Loops, NestByTheirBackEdges) {
  const MachineFunction f = body_blocks(
      "mov.u32 %r0, 0;\nA: mov.u32 %r1, 0;\nB: add.u32 %r1, %r1, 1;\n@%p0 bra B;\nadd.u32 %r0, %r0, 1;\n@%p1 bra A;\n"
      "st.global.u32 [%d0], %r0;");
  EXPECT_EQ(loop_depths(f, dominators(f)), (std::vector<unsigned>{0, 1, 2, 1, 0}));
}

}  // namespace
}  // namespace heddle::compile
