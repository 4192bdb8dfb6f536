// Where things lie: constant bank, shared memory, frames, the data segment.
#include <cstring>
#include <map>

#include "compile_text.h"

namespace heddle::compile {
namespace {

using isa::Opcode;

TEST(KernelParameters, AreAlignedInTheConstantBank) {
  const Compiled c = good_module(
      ".visible .entry k(.param .u8 a, .param .u32 b, .param .u16 c, .param .align 16 .b8 d[20], .param .u64 e) { ret; "
      "}");
  const auto& p = c.program.kernels.at(0).parameters;
  ASSERT_EQ(p.size(), 5u);
  EXPECT_EQ(p[0].offset, 0u);
  EXPECT_EQ(p[1].offset, 4u);
  EXPECT_EQ(p[2].offset, 8u);
  EXPECT_EQ(p[3].offset, 16u);
  EXPECT_EQ(p[3].size, 20u);
  EXPECT_EQ(p[4].offset, 40u);
  EXPECT_EQ(c.program.kernels[0].parameter_bytes, 48u);
}

TEST(KernelParameters, OutsideTheirSizeAreRefused) {
  const Compiled c = compile_module(body_text("ld.param.u64 %d0, [count];\nret;"));
  ASSERT_EQ(c.diagnostics.count(), 1u);
  EXPECT_NE(c.diagnostics.text().find("test.ptx:3:"), std::string::npos) << c.diagnostics.text();
  EXPECT_NE(c.diagnostics.text().find("'count' is 4 bytes long"), std::string::npos) << c.diagnostics.text();
}

TEST(SharedMemory, HoldsEachKernelsOwnVariables) {
  const Compiled c = good_module(
      ".visible .entry a(.param .u64 p) { .reg .b32 r; .shared .align 4 .b8 x[4]; .shared .align 16 .b8 y[32]; "
      "st.shared.u32 [x], r; st.shared.u32 [y], r; ret; }\n"
      ".visible .entry b(.param .u64 p) { .reg .b32 r; .shared .align 4 .b8 z[8]; st.shared.u32 [z], r; ret; }");
  EXPECT_EQ(c.program.find_kernel("a")->static_shared, 48u);
  EXPECT_EQ(c.program.find_kernel("b")->static_shared, 16u);
}

TEST(SharedMemory, OfFunctionsIsAtOnePlaceInEveryKernel) {
  const Compiled c = good_module(
      ".shared .align 4 .b8 common[12];\n.func f() { .reg .b32 r; st.shared.u32 [common+4], r; ret; }\n"
      ".visible .entry a() { .reg .b32 r; .shared .align 8 .b8 own[8]; st.shared.u32 [own], r; call f; ret; }\n"
      ".visible .entry b() { call f; ret; }");
  EXPECT_EQ(c.program.code[c.at_line(3)].offset, 4);
  EXPECT_EQ(c.program.code[c.at_line(4)].offset, 16);
  EXPECT_EQ(c.program.find_kernel("a")->static_shared, 32u);
  EXPECT_EQ(c.program.find_kernel("b")->static_shared, 16u);
}

TEST(SharedMemory, DynamicPartComesBehindTheStaticOne) {
  const Compiled c = good_module(
      ".extern .shared .align 16 .b8 dynamic[];\n.visible .entry k() { .reg .b32 r; .shared .align 4 .b8 own[20]; "
      "st.shared.u32 [own], r;\n"
      "st.shared.u32 [dynamic+4], r; ret; }");
  EXPECT_EQ(c.program.kernels.at(0).static_shared, 32u);
  EXPECT_EQ(c.program.code[c.at_line(4)].offset, 36);
}

TEST(Frames, HoldLocalsWithTheirAlignment) {
  const Compiled c = good_body(
      ".local .align 1 .b8 a[3];\n.local .align 16 .b8 b[24];\nst.local.u8 [a+2], h0;\nst.local.u32 [b+8], %r0;\nret;");
  EXPECT_EQ(c.program.code[c.at_line(5)].offset, 2);
  EXPECT_EQ(c.program.code[c.at_line(6)].offset, 24);
  EXPECT_EQ(c.program.kernels.at(0).frame_bytes, 48u);
  EXPECT_FALSE(c.program.kernels[0].uses_stack);
}

TEST(Frames, ThatAreTooLargeAreRefused) {
  const Compiled c = compile_module(body_text(".local .align 4 .b8 a[33554432];\nst.local.u32 [a], %r0;\nret;"));
  EXPECT_NE(c.diagnostics.text().find("bytes of local memory"), std::string::npos) << c.diagnostics.text();
}

TEST(DataSegment, HoldsInitialValuesAndAddresses) {
  CompileOptions options;
  options.data_address = 0x100001000;
  const Compiled c = good_module(
      ".func f() { ret; }\n.global .align 4 .u32 numbers[3] = {1, 2, 3};\n.const .align 8 .u64 pointers[3] = {numbers, "
      "numbers+4, f};\n"
      ".visible .entry k() { ret; }",
      options);
  ASSERT_EQ(c.program.data.size(), 2u);
  EXPECT_EQ(c.program.data[1].name, "pointers");
  EXPECT_TRUE(c.program.data[1].constant);
  std::uint64_t pointers[3];
  std::memcpy(pointers, c.program.data_image.data() + c.program.data[1].offset, sizeof(pointers));
  EXPECT_EQ(pointers[0], options.data_address + c.program.data[0].offset);
  EXPECT_EQ(pointers[1], pointers[0] + 4);
  EXPECT_EQ(pointers[2], kCodeBase + c.program.functions.at(0).begin * isa::kInstructionBytes);
}

TEST(DataSegment, ThatIsTooLargeIsRefused) {
  const Compiled c = compile_module(".global .b8 a[20000000000];\n.visible .entry k() { ret; }");
  EXPECT_NE(c.diagnostics.text().find("the module's variables need"), std::string::npos) << c.diagnostics.text();
}

TEST(DataSegment, ManagedVariablesLieApartIfAskedFor) {
  const char* const text =
      ".global .attribute(.managed) .align 4 .u32 a = 7;\n.global .align 4 .u32 b = 8;\n"
      ".global .attribute(.managed) .align 8 .b8 c[24];\n.visible .entry k() { ret; }";
  const Compiled together = good_module(text);
  EXPECT_EQ(together.program.managed_bytes, 0u);
  EXPECT_EQ(together.program.data.at(0).name, "a");
  CompileOptions options;
  options.managed_alignment = 4096;
  const Compiled apart = compile_module(text, options);
  ASSERT_TRUE(apart.diagnostics.ok());
  EXPECT_EQ(apart.program.managed_offset, 4096u);
  EXPECT_EQ(apart.program.managed_bytes, 16u + 24);
  std::map<std::string, std::uint64_t> offsets;
  for (const DataSymbol& symbol : apart.program.data) offsets[symbol.name] = symbol.offset;
  EXPECT_EQ(offsets, (std::map<std::string, std::uint64_t>{{"a", 4096}, {"b", 0}, {"c", 4096 + 16}}));
  EXPECT_EQ(apart.program.data_image.at(4096), 7);
  EXPECT_EQ(apart.program.data_image.at(0), 8);
}

}  // namespace
}  // namespace heddle::compile
