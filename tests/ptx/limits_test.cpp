// Hostile input: what is short must stay cheap, what nests must stop, what is long must take linear time.
#include <chrono>

#include "parse_text.h"

namespace heddle::ptx {
namespace {

std::string repeat(std::string_view text, std::size_t times) {
  std::string result;
  result.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

double seconds_for(const std::string& text) {
  const auto start = std::chrono::steady_clock::now();
  const Parsed parsed = parse_module(text);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(PtxLimits, BlocksNestToADepth) {
  const auto nested = [](std::size_t depth) {
    return ".entry k() " + repeat("{", depth) + "ret;" + repeat("}", depth);
  };
  good_module(nested(200));
  const Parsed parsed = parse_module(nested(100000) + ".entry m() { ret; }");
  EXPECT_EQ(parsed.diagnostics.count(), 1u);
  EXPECT_NE(parsed.first_error().find("nested deeper"), std::string::npos);
  EXPECT_EQ(parsed.module.functions.size(), 2u);
}

TEST(PtxLimits, ExpressionsNestToADepth) {
  for (const auto* piece : {"(", "-", "(-", "1?", "1?1:", "(.s64)", "~!", "1+("}) {
    const Parsed parsed = parse_module(".global .s64 x = " + repeat(piece, 100000) + "1;");
    EXPECT_FALSE(parsed.diagnostics.ok()) << piece;
    EXPECT_NE(parsed.first_error().find("nested deeper"), std::string::npos) << parsed.first_error();
  }
  good_module(".global .s64 x = " + repeat("1+", 100000) + "1;");
}

TEST(PtxLimits, BracesAndExtentsNestToADepth) {
  EXPECT_FALSE(parse_module(".global .s64 x" + repeat("[1]", 100000) + " = " + repeat("{", 100000)).diagnostics.ok());
  EXPECT_FALSE(parse_body("mov.b32 a, " + repeat("{", 100000)).diagnostics.ok());
  EXPECT_FALSE(parse_body("mov.b32 a, " + repeat("[", 100000)).diagnostics.ok());
}

TEST(PtxLimits, ASparseInitialiserIsNotStored) {
  const Parsed parsed = parse_module(".global .b8 x[2][0x4000000000] = {{1}, {2}};");
  EXPECT_NE(parsed.first_error().find("too much memory"), std::string::npos);
  EXPECT_LT(parsed.module.variables[0].initial.capacity(), 1u << 20);
  good_module(".global .b8 x[0x400000000000] = {1};");
}

TEST(PtxLimits, OpenArraysDoNotOverflow) {
  EXPECT_FALSE(parse_module(".global .b8 x[][0x7fffffffffffffff] = {{}, {}, {}, {1}};").diagnostics.ok());
  EXPECT_FALSE(parse_module(".global .b64 x[][0xfffffffffffffff] = {{}, {}, {}, {}};").diagnostics.ok());
}

TEST(PtxLimits, NumberedNamesAreBoundedByTheText) {
  EXPECT_FALSE(parse_module(".global .u32 x<4000000000>;").diagnostics.ok());
  EXPECT_FALSE(parse_body("x: .branchtargets L<4000000000>;").diagnostics.ok());
  EXPECT_FALSE(parse_module(".file 4000000000 \"x\"").diagnostics.ok());
}

TEST(PtxLimits, ErrorsAreCountedNotKept) {
  const Parsed parsed = parse_body(repeat("add.s32 %x, %y;", 5000));
  EXPECT_EQ(parsed.diagnostics.count(), 5000u);
  EXPECT_EQ(parsed.diagnostics.errors().size(), Diagnostics::kMaxErrors);
}

// Twice the text may take twice the time. The bound is far above that and far below four times, so that a busy machine
// does not fail it; sizes are large enough to be measured.
void expect_linear(const std::string& before, std::string_view piece, const std::string& after) {
  const std::size_t count = 150000 / piece.size();
  const double small = seconds_for(before + repeat(piece, count) + after);
  const double large = seconds_for(before + repeat(piece, 8 * count) + after);
  EXPECT_LT(large, 30 * small + 0.2) << piece;
}

TEST(PtxLimits, TimeIsLinearInTheText) {
  const std::string open(kRegisters);
  expect_linear(open, "add.s32 a, b, c;", "}");
  expect_linear(open, "bra missing;", "}");
  expect_linear(open, "{ bra L; } ", "L: }");
  expect_linear(open + repeat("{", 200), "bra L;", repeat("}", 200) + "L: ret; }");
  expect_linear(open, "{ .reg .b32 %r<9>; mov.b32 %r1, %r2; }", "}");
  expect_linear(open, "}", "");
  expect_linear(open, "} ,", "");
  expect_linear("", ".entry", "");
  expect_linear("", ".entry k(){ret;}", "");
  expect_linear("", "\"", "");
  expect_linear("", "/*", "");
  expect_linear(open, "@", "");
  expect_linear(open, "} /*", "");
  expect_linear(".global .u32 x = ", "-1 ", "");
  expect_linear(".global .u32 x[] = {", "1,", "1};");
  expect_linear(open + "mov.b32 a, ", "9", ";}");
  expect_linear(open + "mov.b32 a, %r", "9", ";}");
}

TEST(PtxLimits, ManySmallFunctionsAfterALargeOneAreCheap) {
  std::string text = ".entry big() {";
  for (int i = 0; i < 20000; ++i) text += "bra L" + std::to_string(i) + "; L" + std::to_string(i) + ":";
  text += "}";
  for (int i = 0; i < 20000; ++i) text += ".entry f" + std::to_string(i) + "(){bra L; L: }";
  EXPECT_LT(seconds_for(text), 2.0);
}

}  // namespace
}  // namespace heddle::ptx
