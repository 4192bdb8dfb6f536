#include "parse_text.h"

namespace heddle::ptx {
namespace {

using Bytes = std::vector<std::uint8_t>;

Variable variable_of(std::string_view text) { return good_module(text).module.variables.back(); }

TEST(PtxVariables, SpaceTypeAndLinkageAreKept) {
  const Variable variable = variable_of(".visible .const .align 16 .v2 .f32 pair;");
  EXPECT_EQ(variable.name, "pair");
  EXPECT_EQ(variable.space, Space::const_);
  EXPECT_EQ(variable.type, ScalarType::f32);
  EXPECT_EQ(variable.vector, 2);
  EXPECT_EQ(variable.align, 16u);
  EXPECT_EQ(variable.size, 8u);
  EXPECT_EQ(variable.linkage, Linkage::visible);
  EXPECT_EQ(variable.owner, kNoId);
  EXPECT_EQ(variable.place, (SourcePlace{2, 36}));
}

TEST(PtxVariables, AlignmentIsNaturalUnlessGiven) {
  EXPECT_EQ(variable_of(".global .u64 x;").align, 8u);
  EXPECT_EQ(variable_of(".global .v4 .f32 x;").align, 16u);
}

TEST(PtxVariables, ExtentsMultiply) {
  const Variable variable = variable_of(".shared .u16 x[2][3][(1 << 2)];");
  EXPECT_EQ(variable.dimensions, (std::vector<std::uint64_t>{2, 3, 4}));
  EXPECT_EQ(variable.size, 48u);
}

TEST(PtxVariables, AnOpenArrayHasNoSize) {
  const Variable variable = variable_of(".extern .shared .align 16 .b8 dynamic[];");
  EXPECT_EQ(variable.dimensions, (std::vector<std::uint64_t>{0}));
  EXPECT_EQ(variable.size, 0u);
}

TEST(PtxVariables, OneDeclarationMayNameSeveral) {
  const Parsed parsed = good_module(".global .u32 a, b[4], c = 7;");
  ASSERT_EQ(parsed.module.variables.size(), 3u);
  EXPECT_EQ(parsed.module.variables[1].size, 16u);
  EXPECT_EQ(parsed.module.variables[2].initial, (Bytes{7, 0, 0, 0}));
}

TEST(PtxVariables, NumberedVariablesAreSeparateVariables) {
  const Parsed parsed = good_module(".shared .u32 part<3>;");
  ASSERT_EQ(parsed.module.variables.size(), 3u);
  EXPECT_EQ(parsed.module.variables[2].name, "part2");
  EXPECT_EQ(parsed.module.variables[2].size, 4u);
}

TEST(PtxVariables, ManagedIsRemembered) {
  EXPECT_TRUE(variable_of(".visible .global .attribute(.managed) .align 4 .u32 x;").managed);
  EXPECT_TRUE(variable_of(".global .attribute(.unified(19, 95), .managed) .f32 f;").managed);
}

TEST(PtxVariables, ValuesAreLaidOutAsBytes) {
  EXPECT_EQ(variable_of(".global .u16 x[3] = {1, 0x203};").initial, (Bytes{1, 0, 3, 2}));
  EXPECT_EQ(variable_of(".global .b8 x[4] = {-1, 255};").initial, (Bytes{255, 255}));
  EXPECT_EQ(variable_of(".global .f32 x = 0f3F800000;").initial, (Bytes{0, 0, 0x80, 0x3f}));
  EXPECT_EQ(variable_of(".global .f32 x = 1.0;").initial, (Bytes{0, 0, 0x80, 0x3f}));
  EXPECT_EQ(variable_of(".global .b32 x = 0f3F800000;").initial, (Bytes{0, 0, 0x80, 0x3f}));
}

TEST(PtxVariables, ValuesTooLargeLoseTheirUpperBits) {
  EXPECT_EQ(variable_of(".global .u8 x = 300;").initial, (Bytes{44}));
}

TEST(PtxVariables, NestedBracesFillTheirOwnPart) {
  EXPECT_EQ(variable_of(".global .u8 x[2][3] = {{1}, {2, 3}};").initial, (Bytes{1, 0, 0, 2, 3}));
  EXPECT_EQ(variable_of(".global .v2 .u8 x[2] = {{1, 2}, {3, 4}};").initial, (Bytes{1, 2, 3, 4}));
  EXPECT_TRUE(variable_of(".global .u8 x[2][3] = {};").initial.empty());
}

TEST(PtxVariables, AnOpenArrayTakesItsSizeFromItsValues) {
  const Variable variable = variable_of(".global .u32 x[][2] = {{1, 2}, {3, 4}, {5}};");
  EXPECT_EQ(variable.size, 24u);
  EXPECT_EQ(variable.dimensions, (std::vector<std::uint64_t>{0, 2}));
  EXPECT_EQ(variable.initial.size(), 20u);
}

TEST(PtxVariables, AStringFillsBytes) {
  EXPECT_EQ(variable_of(".global .b8 x[] = \"a\\n\";").initial, (Bytes{'a', '\n', 0}));
  EXPECT_EQ(variable_of(".global .b8 x[2] = \"ab\";").initial, (Bytes{'a', 'b'}));
}

TEST(PtxVariables, AddressesBecomeRelocations) {
  const Parsed parsed =
      good_module(".global .u32 y[4]; .func f(); .global .u64 x[] = {7, y, y+4, generic(y)+8, f, y-4};");
  const Variable& x = parsed.module.variables.back();
  EXPECT_EQ(x.size, 48u);
  ASSERT_EQ(x.relocations.size(), 5u);
  EXPECT_EQ(x.relocations[0].offset, 8u);
  EXPECT_EQ(x.relocations[0].symbol, 0u);
  EXPECT_FALSE(x.relocations[0].generic);
  EXPECT_EQ(x.relocations[1].addend, 4);
  EXPECT_TRUE(x.relocations[2].generic);
  EXPECT_EQ(x.relocations[2].addend, 8);
  EXPECT_TRUE(x.relocations[3].is_function);
  EXPECT_EQ(x.relocations[4].addend, -4);
  EXPECT_EQ(x.relocations[4].size, 8u);
}

TEST(PtxVariables, MaskedAddressesKeepTheirMask) {
  const Parsed parsed = good_module(".global .u32 y[4]; .global .b8 x[3] = {0xFF(y), 0xFF00(generic(y)), 0xFF(y+4)};");
  const auto& relocations = parsed.module.variables.back().relocations;
  ASSERT_EQ(relocations.size(), 3u);
  EXPECT_EQ(relocations[0].mask, 0xffu);
  EXPECT_EQ(relocations[0].size, 1u);
  EXPECT_EQ(relocations[1].mask, 0xff00u);
  EXPECT_TRUE(relocations[1].generic);
  EXPECT_EQ(relocations[2].offset, 2u);
  EXPECT_EQ(relocations[2].addend, 4);
}

TEST(PtxVariables, ADefinitionCompletesAnExternDeclaration) {
  for (const auto* text : {".extern .global .u32 x[]; .visible .global .u32 x[2] = {1, 2};",
                           ".visible .global .u32 x[2] = {1, 2}; .extern .global .u32 x[];"}) {
    const Parsed parsed = good_module(text);
    ASSERT_EQ(parsed.module.variables.size(), 1u);
    EXPECT_EQ(parsed.module.variables[0].linkage, Linkage::visible);
    EXPECT_EQ(parsed.module.variables[0].size, 8u);
    EXPECT_EQ(parsed.module.variables[0].initial.size(), 8u);
  }
}

TEST(PtxVariables, VariablesOfABodyBelongToTheirFunction) {
  const Parsed parsed =
      good_module(".entry k() { .shared .u32 s[4]; { .param .b64 argument; .const .u32 c = 3; } ret; }");
  EXPECT_EQ(parsed.function().locals, (std::vector<SymbolId>{0, 1, 2}));
  for (const Variable& variable : parsed.module.variables) EXPECT_EQ(variable.owner, 0u);
}

TEST(PtxVariables, WhatCannotBeDeclaredIsRefused) {
  expect_error(parse_module(".global .u32 x; .global .f32 x;"), {2, 30}, "declared twice");
  expect_error(parse_module(".global .pred x;"), {2, 15}, "only be a register");
  expect_error(parse_module(".global .align 3 .u32 x;"), {2, 16}, "power of two");
  expect_error(parse_module(".global x;"), {2, 9}, "a type");
  expect_error(parse_module(".global .u32 x[2][];"), {2, 18}, "only the first extent");
  expect_error(parse_module(".global .u32 x[-1];"), {2, 15}, "cannot be -1");
  expect_error(parse_module(".const[2] .u32 x;"), {2, 7}, "banks are not supported");
  expect_error(parse_module(".global .u32 x[0x4000000000][0x4000000000];"), {2, 29}, "address space");
}

TEST(PtxVariables, WhatCannotBeInitialisedIsRefused) {
  expect_error(parse_module(".global .u32 x[2] = {1, 2, 3};"), {2, 28}, "more values than the 2");
  expect_error(parse_module(".global .u32 x[2][2] = {1, 2};"), {2, 25}, "expected '{'");
  expect_error(parse_module(".global .u32 x = {1};"), {2, 18}, "expected a value");
  expect_error(parse_module(".global .u32 x = 1.5;"), {2, 18}, "floating-point");
  expect_error(parse_module(".global .f32 x = 1;"), {2, 18}, "whole");
  expect_error(parse_module(".global .f16 x = 1.0;"), {2, 18}, "cannot be initialised");
  expect_error(parse_module(".shared .u32 x = 1;"), {2, 18}, "cannot be initialised");
  expect_error(parse_module(".global .u16 y; .global .u16 x = y;"), {2, 34}, "does not fit");
  expect_error(parse_module(".global .u64 value; .global .u64 x = valu;"), {2, 38}, "did you mean 'value'?");
  expect_error(parse_module(".global .b8 x[2] = \"abc\";"), {2, 20}, "longer");
}

}  // namespace
}  // namespace heddle::ptx
