#include "parse_text.h"

namespace heddle::ptx {
namespace {

TEST(PtxModule, TheHeaderIsRead) {
  const Parsed parsed = parse_raw(".version 7.8\n.target sm_90a, debug, texmode_independent\n.address_size 64\n");
  EXPECT_TRUE(parsed.diagnostics.ok()) << parsed.diagnostics.text();
  EXPECT_EQ(parsed.module.name, "test");
  EXPECT_EQ(parsed.module.version_major, 7u);
  EXPECT_EQ(parsed.module.version_minor, 8u);
  EXPECT_EQ(parsed.module.target, "sm_90a");
  EXPECT_EQ(parsed.module.target_options, (std::vector<std::string>{"debug", "texmode_independent"}));
  EXPECT_EQ(parsed.module.address_size, 64u);
}

TEST(PtxModule, PaddingWithZeroBytesIsIgnored) {
  EXPECT_TRUE(parse_raw(std::string_view(".version 8.0 .target sm_80\0\0\0", 29)).diagnostics.ok());
}

TEST(PtxModule, AModuleBeginsWithItsVersion) {
  expect_error(parse_raw(".target sm_80"), {1, 1}, "expected .version");
  expect_error(parse_raw(""), {1, 1}, "expected .version");
  expect_error(parse_raw(".version 8.0"), {1, 1}, "no .target");
}

TEST(PtxModule, SourceFilesAndLinesAreKept) {
  const Parsed parsed = good_module(
      ".file 1 \"first.cu\", 1700000000, 4096\n.file 2 \"second.cu\"\n"
      ".entry k() { nop; .loc 1 23 5\n nop; nop; .loc 2 7 1, function_name $L__info+4, inlined_at 1 40 3\n ret; }");
  EXPECT_EQ(parsed.module.source_files, (std::vector<std::string>{"", "first.cu", "second.cu"}));
  EXPECT_EQ(parsed.instruction(0).source_line, 0u);
  EXPECT_EQ(parsed.instruction(2).source_file, 1u);
  EXPECT_EQ(parsed.instruction(2).source_line, 23u);
  EXPECT_EQ(parsed.instruction(3).source_file, 2u);
  EXPECT_EQ(parsed.instruction(3).source_line, 7u);
}

TEST(PtxModule, DebugSectionsAreSkipped) {
  const Parsed parsed = good_module(
      ".section .debug_abbrev\n{\n.b8 1\n$L__a:\n.b32 .debug_str+3 { ' # } .b64 $L__b-4\n}\n"
      "@@DWARF .section .debug_info, \"\", @progbits\n.entry k() { ret; }");
  EXPECT_EQ(parsed.module.functions.size(), 1u);
}

TEST(PtxModule, PragmasAreReadAndDropped) {
  good_module(".pragma \"nounroll\"; .entry k() .pragma \"a\"; { .pragma \"nounroll\", \"b\"; ret; }");
  expect_error(parse_module(".pragma nounroll;"), {2, 9}, "a string");
}

TEST(PtxModule, AnUnknownDirectiveNamesTheNearest) {
  expect_error(parse_module(".globl .u32 x;"), {2, 1}, "did you mean 'global'?");
}

TEST(PtxFunctions, AKernelHasItsParametersInOrder) {
  const Parsed parsed = good_module(
      ".visible .entry k(.param .u64 .ptr .global .align 4 a, .param .align 8 .b8 b[16], .param .f32 c) { ret; }");
  const Function& kernel = parsed.function();
  EXPECT_TRUE(kernel.is_entry);
  EXPECT_TRUE(kernel.has_body);
  EXPECT_EQ(kernel.name, "k");
  EXPECT_EQ(kernel.linkage, Linkage::visible);
  ASSERT_EQ(kernel.parameters.size(), 3u);
  const Variable& a = parsed.module.variables[kernel.parameters[0]];
  EXPECT_EQ(a.space, Space::param);
  EXPECT_EQ(a.align, 8u);
  EXPECT_EQ(a.owner, 0u);
  EXPECT_EQ(parsed.module.variables[kernel.parameters[1]].size, 16u);
  EXPECT_EQ(kernel.parameter_registers, (std::vector<RegisterId>{kNoId, kNoId, kNoId}));
}

TEST(PtxFunctions, ParenthesesMayBeLeftOut) {
  EXPECT_EQ(good_module(".entry k { ret; } .func f { ret; }").module.functions.size(), 2u);
}

TEST(PtxFunctions, RegisterParametersAreRegistersOfTheBody) {
  const Parsed parsed =
      good_module(".func (.reg .b32 r) f(.reg .b32 a, .param .b32 s) { .reg .b32 t; mov.b32 r, a; ret; }");
  const Function& f = parsed.function();
  ASSERT_EQ(f.registers.size(), 3u);
  EXPECT_EQ(f.return_registers, (std::vector<RegisterId>{0}));
  EXPECT_EQ(f.parameter_registers, (std::vector<RegisterId>{1, kNoId}));
  EXPECT_EQ(parsed.operand(0).index, 0u);
  EXPECT_EQ(parsed.operand(1).index, 1u);
  EXPECT_EQ(parsed.module.variables[f.returns[0]].space, Space::reg);
}

TEST(PtxFunctions, ADeclarationAndItsDefinitionAreOneFunction) {
  const Parsed parsed = good_module(
      ".func (.param .b32 r) f(.param .b32 a);\n.func g() { call f, (1); ret; }\n"
      ".visible .func (.param .b32 result) f(.param .b32 x) { ld.param.b32 _, [x]; ret; }\n.func (.param .b32 r) "
      "f(.param .b32 a);");
  ASSERT_EQ(parsed.module.functions.size(), 2u);
  const Function& f = parsed.function(0);
  EXPECT_TRUE(f.has_body);
  EXPECT_EQ(f.linkage, Linkage::visible);
  ASSERT_EQ(f.parameters.size(), 1u);
  EXPECT_EQ(parsed.module.variables[f.parameters[0]].name, "x");
  EXPECT_EQ(parsed.module.variables.size(), 2u);
}

TEST(PtxFunctions, TheSemicolonOfADeclarationMayBeLeftOut) {
  const Parsed parsed = good_module(".extern .func f(.param .b32 a)\n.func g() .noreturn\n.entry k() { ret; }");
  ASSERT_EQ(parsed.module.functions.size(), 3u);
  EXPECT_FALSE(parsed.function(0).has_body);
  EXPECT_TRUE(parsed.function(1).noreturn);
}

TEST(PtxFunctions, AttributesAreKept) {
  const Parsed parsed = good_module(
      ".entry k() .maxntid 256, 2 .minnctapersm 3 .maxnreg 40 .reqntid 64, 1, 1 .reqnctapercluster 2 .explicitcluster "
      ".maxclusterrank 8 .maxnctapersm 4 { ret; } .func f() .noreturn .abi_preserve 10 .abi_preserve_control 2;");
  const Function& kernel = parsed.function();
  EXPECT_EQ(kernel.maxntid[0], 256u);
  EXPECT_EQ(kernel.maxntid[1], 2u);
  EXPECT_EQ(kernel.maxntid[2], 1u);
  EXPECT_EQ(kernel.reqntid[0], 64u);
  EXPECT_EQ(kernel.minnctapersm, 3u);
  EXPECT_EQ(kernel.maxnreg, 40u);
  EXPECT_EQ(kernel.reqnctapercluster[0], 2u);
  EXPECT_EQ(kernel.maxclusterrank, 8u);
  EXPECT_TRUE(kernel.explicit_cluster);
  EXPECT_FALSE(kernel.blocks_are_clusters);
  EXPECT_TRUE(parsed.function(1).noreturn);
}

TEST(PtxFunctions, AnAliasIsTheFunctionItNames) {
  const Parsed parsed = good_module(
      ".visible .func other(); .global .u64 pointer = other; .visible .func f() { ret; }\n"
      ".entry k() { call other; ret; } .alias other, f;");
  EXPECT_EQ(parsed.function(2).body[0].operands[1].index, 1u);
  EXPECT_EQ(parsed.module.variables[0].relocations[0].symbol, 1u);
}

TEST(PtxFunctions, ContradictionsAreRefused) {
  expect_error(parse_module(".func f() { ret; }\n.func f() { ret; }"), {3, 7}, "defined twice, first in line 2");
  expect_error(parse_module(".func f(.param .u32 a);\n.func f(.param .u64 a) { ret; }"), {3, 7},
               "differs from the one in line 2");
  expect_error(parse_module(".func f();\n.entry f() { ret; }"), {3, 8}, "differs");
  expect_error(parse_module(".global .u32 f;\n.entry f() { ret; }"), {3, 8}, "declared twice");
  expect_error(parse_module(".entry k(.param .u32 a, .param .u32 a) { ret; }"), {2, 37}, "declared twice");
  expect_error(parse_module(".entry k(.param .u32 _) { ret; }"), {2, 22}, "prototype");
  expect_error(parse_module(".alias f, g;"), {2, 8}, "no function 'f'");
  expect_error(parse_module(".entry k() .maxtid 3 { ret; }"), {2, 12}, "attribute");
}

}  // namespace
}  // namespace heddle::ptx
