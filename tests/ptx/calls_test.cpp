#include "parse_text.h"

namespace heddle::ptx {
namespace {

using Kind = Operand::Kind;

Parsed call(std::string_view text) {
  return good_module(
      ".func f(); .func (.param .b32 r) g(.param .b32 a, .param .b32 b);\n.entry k() { .reg .b64 d; .reg .b32 x; "
      ".param .b32 r, a, b;\nproto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[16]);\n" +
      std::string(text) + "\n}");
}

const Instruction& first(const Parsed& parsed) { return parsed.function(2).body.at(0); }

TEST(PtxCalls, EveryFormHasResultsCalleeAndArguments) {
  for (const auto* text : {"call f;", "call.uni f, ();", "call (), f, ();", "call (), f;"}) {
    const Parsed parsed = call(text);
    const auto& operands = first(parsed).operands;
    ASSERT_EQ(operands.size(), 3u) << text;
    EXPECT_EQ(operands[0].kind, Kind::list);
    EXPECT_EQ(operands[1].kind, Kind::function);
    EXPECT_EQ(operands[1].index, 0u);
    EXPECT_EQ(operands[2].kind, Kind::list);
    EXPECT_TRUE(operands[0].elements.empty() && operands[2].elements.empty());
  }
}

TEST(PtxCalls, ListsKeepTheirOperands) {
  const Parsed parsed = call("call.uni (r),\n g,\n (\n a, 3);");
  const auto& operands = first(parsed).operands;
  ASSERT_EQ(operands[0].elements.size(), 1u);
  EXPECT_EQ(operands[0].elements[0].kind, Kind::variable);
  ASSERT_EQ(operands[2].elements.size(), 2u);
  EXPECT_EQ(operands[2].elements[1].kind, Kind::integer);
}

TEST(PtxCalls, AnIndirectCallNamesItsPrototype) {
  const Parsed parsed = call("call (r), d, (a, b), proto;");
  const auto& operands = first(parsed).operands;
  ASSERT_EQ(operands.size(), 4u);
  EXPECT_EQ(operands[1].kind, Kind::reg);
  EXPECT_EQ(operands[3].kind, Kind::prototype);
  const Prototype& prototype = parsed.function(2).prototypes.at(operands[3].index);
  EXPECT_EQ(prototype.name, "proto");
  EXPECT_EQ(prototype.returns.size(), 1u);
  EXPECT_EQ(prototype.parameters.at(1).size, 16u);
}

TEST(PtxCalls, APrototypeMayBeBare) {
  const Parsed parsed = call("bare: .callprototype _ .noreturn; call d, bare; call d, (), bare;");
  EXPECT_TRUE(parsed.function(2).prototypes.at(1).noreturn);
  EXPECT_EQ(first(parsed).operands.at(3).index, 1u);
}

TEST(PtxCalls, CallTargetsAreFunctions) {
  const Parsed parsed = call("list: .calltargets f, g; call d, (), list;");
  EXPECT_EQ(first(parsed).operands.at(3).kind, Kind::targets);
  EXPECT_EQ(parsed.function(2).target_lists.at(0).functions, (std::vector<FunctionId>{0, 1}));
}

TEST(PtxCalls, BranchTargetsAreLabels) {
  const Parsed parsed = call("list: .branchtargets A, B, A; brx.idx x, list; A: nop; B: ret;");
  EXPECT_EQ(first(parsed).operands.at(1).kind, Kind::targets);
  EXPECT_EQ(parsed.function(2).target_lists.at(0).labels, (std::vector<LabelId>{0, 1, 0}));
}

TEST(PtxCalls, BranchTargetsMayBeNumbered) {
  const Parsed parsed = call("list: .branchtargets N<2>, M; brx.idx x, list; N0: nop; N1: nop; M: ret;");
  EXPECT_EQ(parsed.function(2).target_lists.at(0).labels, (std::vector<LabelId>{0, 1, 2}));
}

TEST(PtxCalls, WhatCannotBeCalledIsRefused) {
  expect_error(parse_body("call missing;"), {3, 6}, "no function 'missing' is declared before this call");
  expect_error(parse_body("call table;"), {3, 6}, "neither a function nor a register");
  expect_error(parse_body("call d, (a);"), {3, 12}, "prototype or targets");
  expect_error(parse_body("call (a) kernel;"), {3, 10}, "expected ','");
  expect_error(parse_body("x: .branchtargets A; ret;"), {3, 19}, "nothing named 'A'");
  expect_error(parse_body("x: .calltargets d; ret;"), {3, 17}, "must be a function");
  expect_error(parse_body("x: .callprototype f (.param .b32 _);"), {3, 19}, "'_' in a prototype");
  expect_error(parse_body(".callprototype _;"), {3, 1}, "needs a label");
}

}  // namespace
}  // namespace heddle::ptx
