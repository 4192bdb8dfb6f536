#include "parse_text.h"

namespace heddle::ptx {
namespace {

TEST(PtxErrors, EveryMistakeOfABodyIsReported) {
  const Parsed parsed = parse_body(
      "add.s32 a, %x, b;\nmov.b32 a b;\nmov.b64 {a, , b}, d;\n{ ld.u32 a, [c; }\nst.global.u32 [d], %y;\nret;");
  ASSERT_EQ(parsed.diagnostics.count(), 5u) << parsed.diagnostics.text();
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(parsed.diagnostics.errors()[i].place.line, 3 + i);
  ASSERT_EQ(parsed.function().body.size(), 1u);
  EXPECT_EQ(parsed.instruction().opcode, "ret");
}

TEST(PtxErrors, AFunctionAfterABrokenOneIsRead) {
  const Parsed parsed = parse_module(
      ".entry a(.param .u23 x) { nop; { nop; } }\n.entry b( { ret; }\n.global .u32 = 3;\n.entry c() { ret; }");
  EXPECT_EQ(parsed.diagnostics.count(), 3u) << parsed.diagnostics.text();
  ASSERT_FALSE(parsed.module.functions.empty());
  EXPECT_EQ(parsed.module.functions.back().name, "c");
}

TEST(PtxErrors, AMissingBraceIsReportedWhereTheNextFunctionBegins) {
  const Parsed parsed = parse_module(".entry a() {\n{ ret;\n.visible .entry b() { ret; }");
  expect_error(parsed, {4, 1}, "expected '}' for the block that begins in line 3");
  EXPECT_EQ(parsed.module.functions.size(), 2u);
}

TEST(PtxErrors, AMissingBraceAtTheEndIsReported) {
  expect_error(parse_module(".entry a() { ret;"), {2, 18}, "found the end of the file");
}

TEST(PtxErrors, AnUnreadableTokenSaysWhy) {
  expect_error(parse_body("mov.f32 f, 0f3F8;"), {3, 12}, "exactly 8 hexadecimal digits: '0f3F8'");
  expect_error(parse_body("mov.f32 f, #;"), {3, 12}, "no such character");
  expect_error(parse_body("mov.f32 f, \x80;"), {3, 12}, "'\\x80'");
}

TEST(PtxErrors, AnEmptyStatementIsRefused) {
  expect_error(parse_body("ret; ;"), {3, 6}, "expected a statement, found ';'");
}

TEST(PtxErrors, LongNamesAreShortened) {
  const Parsed parsed = parse_body("mov.b32 a, %" + std::string(10000, 'x') + ";");
  ASSERT_EQ(parsed.diagnostics.count(), 1u);
  EXPECT_LT(parsed.first_error().size(), 200u);
}

TEST(PtxErrors, TypesAndSpacesHaveTheirNames) {
  for (int i = 1; i <= static_cast<int>(ScalarType::surfref); ++i) {
    const auto type = static_cast<ScalarType>(i);
    EXPECT_EQ(type_from_name(name_of(type)), type);
    EXPECT_GT(size_of(type), 0u);
  }
  EXPECT_EQ(type_from_name("u128"), ScalarType::none);
  EXPECT_EQ(type_from_name("none"), ScalarType::none);
  EXPECT_EQ(size_of(ScalarType::none), 0u);
  EXPECT_EQ(size_of(ScalarType::f16x2), 4u);
  EXPECT_EQ(size_of(ScalarType::b128), 16u);
  EXPECT_EQ(name_of(Space::const_), "const");
}

}  // namespace
}  // namespace heddle::ptx
