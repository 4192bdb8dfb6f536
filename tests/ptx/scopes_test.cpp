#include "parse_text.h"

namespace heddle::ptx {
namespace {

std::string register_of(const Parsed& parsed, std::size_t instruction, std::size_t operand) {
  return parsed.function().registers[parsed.instruction(instruction).operands.at(operand).index].name;
}

TEST(PtxScopes, OnlyUsedRegistersOfARangeExist) {
  const Parsed parsed =
      good_module(".entry k() { .reg .b32 %r<4000000000>; mov.b32 %r3999999999, %r7; add.s32 %r7, %r7, 1; }");
  EXPECT_EQ(parsed.function().registers.size(), 2u);
}

TEST(PtxScopes, APrefixMayEndInADigit) {
  const Parsed parsed = good_module(".entry k() { .reg .b32 r1<5>; .reg .b64 r<5>; mov.b32 r14, 1; mov.b64 r4, 1; }");
  EXPECT_EQ(parsed.function().registers[0].type, ScalarType::b32);
  EXPECT_EQ(parsed.function().registers[1].type, ScalarType::b64);
}

TEST(PtxScopes, ANumberWithLeadingZerosIsNotInARange) {
  expect_error(parse_body("mov.b32 a, %r01;"), {3, 12}, "nothing named");
}

TEST(PtxScopes, InnerNamesHideOuterOnes) {
  const Parsed parsed = good_body("{ .reg .b64 a; mov.b64 a, 1; } mov.b32 a, 2;");
  EXPECT_NE(parsed.instruction(0).operands[0].index, parsed.instruction(1).operands[0].index);
  EXPECT_EQ(parsed.function().registers[parsed.instruction(0).operands[0].index].type, ScalarType::b64);
}

TEST(PtxScopes, AnInnerRangeHidesAnOuterRegisterAlreadyUsed) {
  const Parsed parsed =
      good_body("mov.b32 %r1, 1; { .reg .b64 %r<2>; mov.b64 %r1, 2; mov.b32 %r5, 3; } mov.b32 %r1, 4; mov.b32 %r5, 5;");
  const auto index = [&](std::size_t i) { return parsed.instruction(i).operands[0].index; };
  EXPECT_NE(index(0), index(1));
  EXPECT_EQ(index(0), index(3));
  EXPECT_EQ(index(2), index(4));
}

TEST(PtxScopes, NamesEndWithTheirBlock) {
  expect_error(parse_body("{ .reg .b32 %inner; } mov.b32 a, %inner;"), {3, 34}, "nothing named '%inner'");
}

TEST(PtxScopes, FunctionsDoNotShareNames) {
  const Parsed parsed = good_module(".entry k() { .reg .b32 x; L: bra L; } .entry m() { .reg .b64 x; L: bra L; }");
  EXPECT_EQ(parsed.function(1).labels.size(), 1u);
  EXPECT_EQ(parsed.function(1).body[0].operands[0].index, 0u);
}

TEST(PtxScopes, ASpecialRegisterCanBeHidden) {
  const Parsed parsed = good_body(".reg .b32 %tid; mov.b32 %tid, 1;");
  EXPECT_EQ(register_of(parsed, 0, 0), "%tid");
}

TEST(PtxScopes, DeclaringTwiceInOneScopeIsAnError) {
  expect_error(parse_body(".reg .b32 a;"), {3, 11}, "'a' is declared twice in this scope, first in line 2");
  expect_error(parse_body(".reg .f32 %r<3>;"), {3, 11}, "declared twice");
  expect_error(parse_body(".reg .b32 input;"), {3, 11}, "declared twice");
  expect_error(parse_body("a: ret;"), {3, 1}, "declared twice");
  expect_error(parse_body("L: ret; L: ret;"), {3, 9}, "declared twice");
  expect_error(parse_body(".reg .b32 %r3;"), {3, 11}, "alone and as part of a range");
  expect_error(parse_module(".entry k() {\n.reg .b32 %x3; .reg .b32 %x<5>; ret; }"), {3, 11},
               "alone and as part of a range");
}

TEST(PtxLabels, ALabelIsThePositionOfTheNextInstruction) {
  const Parsed parsed = good_body("bra END; A: B: nop; bra A; END:");
  const Function& kernel = parsed.function();
  ASSERT_EQ(kernel.labels.size(), 3u);
  EXPECT_EQ(kernel.labels[0].position, 1u);
  EXPECT_EQ(kernel.labels[1].position, 1u);
  EXPECT_EQ(kernel.labels[2].position, 3u);
  EXPECT_EQ(kernel.labels[2].place, (SourcePlace{3, 28}));
  EXPECT_EQ(parsed.operand(0).kind, Operand::Kind::label);
  EXPECT_EQ(parsed.operand(0).index, 2u);
  EXPECT_EQ(parsed.instruction(2).operands[0].index, 0u);
}

TEST(PtxLabels, AnInnerLabelHidesAnOuterOneEvenBeforeItStands) {
  const Parsed parsed = good_body("L: { bra L; L: nop; bra L; } bra L;");
  EXPECT_EQ(parsed.instruction(0).operands[0].index, 1u);
  EXPECT_EQ(parsed.instruction(2).operands[0].index, 1u);
  EXPECT_EQ(parsed.instruction(3).operands[0].index, 0u);
}

TEST(PtxLabels, AnOuterLabelIsVisibleFromInside) {
  const Parsed parsed = good_body("{ { bra L; } } { L: bra L; } L: ret;");
  EXPECT_EQ(parsed.instruction(0).operands[0].index, 1u);
  EXPECT_EQ(parsed.instruction(1).operands[0].index, 0u);
}

TEST(PtxLabels, AnInnerLabelIsInvisibleOutside) {
  expect_error(parse_body("bra L; { L: nop; }"), {3, 5}, "nothing named 'L'");
  expect_error(parse_body("{ L: nop; } bra L;"), {3, 17}, "nothing named 'L'");
}

TEST(PtxLabels, ALabelMayHideARegister) {
  const Parsed parsed = good_body("{ bra a; a: ret; }");
  EXPECT_EQ(parsed.operand(0).kind, Operand::Kind::label);
}

TEST(PtxLabels, AnUnknownLabelNamesTheNearest) {
  expect_error(parse_body("$L__BB0_2: bra $L__BBO_2;"), {3, 16}, "did you mean '$L__BB0_2'?");
}

}  // namespace
}  // namespace heddle::ptx
