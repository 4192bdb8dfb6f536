// What the compiler refuses: each message names file, line, column and the instruction, and all are collected.
#include "compile_text.h"

namespace heddle::compile {
namespace {

void expect_error(std::string_view body, SourcePlace place, std::string_view part) {
  const Compiled c = compile_module(body_text(body));
  ASSERT_EQ(c.diagnostics.count(), 1u) << body << "\n" << c.diagnostics.text();
  EXPECT_EQ(c.diagnostics.errors()[0].place, place) << c.diagnostics.text();
  EXPECT_NE(c.diagnostics.errors()[0].message.find(part), std::string::npos) << c.diagnostics.text();
}

TEST(CompileErrors, NameThePlaceAndTheInstruction) {
  expect_error("mov.u32 %r0, 1;\n  dance.u32 %r0, %r1;\nret;", {4, 3},
               "'dance.u32': this instruction is not supported");
  expect_error("  add.u32.wrong %r0, %r1, %r2;", {3, 10}, "'add.u32.wrong': modifier .wrong is not supported here");
  expect_error("add %r0, %r1, %r2;", {3, 1}, "'add': a type is missing");
  expect_error("add.u32 %r0, %r1;", {3, 1}, "'add.u32' takes 3 operands, not 2");
  expect_error("add.u32 %r0, %p1, 1;", {3, 14}, "a predicate cannot be used as a value here");
  expect_error("add.u64 %r0, %d1, %d2;", {3, 9}, "64-bit register");
  expect_error("add.u32 7, %r1, %r2;", {3, 9}, "the destination must be a register");
  expect_error("setp.lt.u32 %r0, %r1, %r2;", {3, 13}, "predicate register");
  expect_error("ld.global.v2.u32 %r0, [%d0];", {3, 18}, "loads 2 values");
  expect_error("ld.global.u32 %r0, %d0;", {3, 20}, "an address in brackets is needed here");
  expect_error("st.const.u32 [%d0], %r0;", {3, 1}, "constant memory cannot be stored to");
  expect_error("atom.local.add.u32 %r0, [%d0], 1;", {3, 1}, "global and shared memory only");
  expect_error("lop3.b32 %r0, %r1, %r2, %r3, 256;", {3, 30}, "0 to 255");
}

TEST(CompileErrors, PrintAsFileLineAndColumn) {
  const Compiled c = compile_module(body_text("  dance.u32 %r0;"));
  EXPECT_EQ(c.diagnostics.text().substr(0, 22), "test.ptx:3:3: error: '") << c.diagnostics.text();
}

TEST(CompileErrors, OfSeveralFunctionsAreCollectedInOneRun) {
  const Compiled c = compile_module(
      ".func f() { .reg .b32 r; one.u32 r; two.u32 r; ret; }\n.visible .entry k() { .reg .b32 r; three.u32 r; add.u32 "
      "r, r; ret; }");
  EXPECT_EQ(c.diagnostics.count(), 4u) << c.diagnostics.text();
  for (const char* name : {"one", "two", "three", "add"}) {
    EXPECT_NE(c.diagnostics.text().find(name), std::string::npos) << c.diagnostics.text();
  }
}

TEST(CompileErrors, OfUndefinedFunctionsNameThem) {
  const Compiled c = compile_module(".extern .func mystery();\n.visible .entry k() {\n call mystery; ret; }");
  EXPECT_NE(c.diagnostics.text().find("'mystery' is declared but not defined in this module"), std::string::npos)
      << c.diagnostics.text();
}

TEST(CompileErrors, OfAnUndefinedFunctionsAddressNameIt) {
  const Compiled code =
      compile_module(".func f(.param .u32 a);\n" + body_text("mov.u64 %d0, f;\nst.global.u64 [%d1], %d0;"));
  ASSERT_EQ(code.diagnostics.count(), 1u) << code.diagnostics.text();
  EXPECT_EQ(code.diagnostics.errors()[0].message, "'f' is declared but not defined in this module: it has no address");
  EXPECT_EQ(code.diagnostics.errors()[0].place.line, 4u);
  const Compiled data =
      compile_module(".func f(.param .u32 a);\n.global .align 8 .u64 table[2] = {0, f};\n" + body_text(""));
  ASSERT_EQ(data.diagnostics.count(), 1u) << data.diagnostics.text();
  EXPECT_EQ(data.diagnostics.errors()[0].message,
            "'table' holds the address of 'f', which is declared but not defined in this module");
}

TEST(CompileErrors, OfParametersBeyondTheirSpaceSayHowLargeTheyAre) {
  const auto kernel = [](const std::string& bytes) {
    return compile_module(".visible .entry k(.param .align 4 .b8 a[" + bytes + "], .param .u32 b) { ret; }");
  };
  EXPECT_TRUE(kernel("32760").diagnostics.ok());
  for (const std::string bytes : {"32761", "65536", "4294967296", "9223372036854775807"}) {
    const Compiled code = kernel(bytes);
    ASSERT_EQ(code.diagnostics.count(), 1u) << bytes << code.diagnostics.text();
    EXPECT_NE(code.diagnostics.errors()[0].message.find("bytes of parameters; at most 32764"), std::string::npos)
        << code.diagnostics.text();
  }
}

TEST(CompileErrors, OfSatfiniteSayWhereItApplies) {
  EXPECT_TRUE(
      compile_module(body_text("cvt.rn.satfinite.f16.f32 h0, %f0;\nst.global.b16 [%d0], h0;")).diagnostics.ok());
  const Compiled code = compile_module(body_text("cvt.rzi.satfinite.u32.f32 %r0, %f0;\nst.global.u32 [%d0], %r0;"));
  ASSERT_EQ(code.diagnostics.count(), 1u);
  EXPECT_NE(code.diagnostics.errors()[0].message.find(".satfinite is for conversions from f32"), std::string::npos);
}

TEST(CompileErrors, OfCallsSayWhatTheFunctionTakes) {
  const Compiled c = compile_module(".func f(.param .b32 a) { ret; }\n.visible .entry k() {\n call f; ret; }");
  EXPECT_NE(c.diagnostics.text().find("the call passes 0 arguments and takes 0 results; the function has 1 and 0"),
            std::string::npos)
      << c.diagnostics.text();
}

}  // namespace
}  // namespace heddle::compile
