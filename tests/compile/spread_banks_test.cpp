// Register numbers that are spread over banks.
#include <fmt/format.h>

#include <set>

#include "compile/liveness.h"
#include "compile_text.h"

namespace heddle::compile {
namespace {

/// Registers that instructions read of a bank of which they read another.
unsigned bank_conflicts(const Program& program, unsigned banks) {
  unsigned conflicts = 0;
  for (const isa::Instruction& i : program.code) {
    std::set<std::size_t> registers;
    std::set<std::size_t> used;
    for (const isa::Operand& s : i.src) {
      for_each_physical(s, [&](std::size_t r) {
        if (r < kFirstPredicate) registers.insert(r);
      });
    }
    for (const std::size_t r : registers) used.insert(r % banks);
    conflicts += static_cast<unsigned>(registers.size() - used.size());
  }
  return conflicts;
}

Compiled spread_body(std::string_view body, unsigned banks) {
  CompileOptions options;
  options.schedule = false;
  options.banks = banks;
  return good_module(body_text(body), options);
}

/// Sixteen values, of which each instruction reads two that allocation puts into one bank of eight.
std::string eight_apart() {
  std::string body = "ld.param.u64 %d0, [in];\n";
  for (int i = 0; i < 16; ++i) body += fmt::format("ld.global.u32 %r{}, [%d0+{}];\n", i, 4 * i);
  for (int i = 0; i < 8; ++i) body += fmt::format("add.u32 %r{}, %r{}, %r{};\n", 20 + i, i, i + 8);
  for (int i = 0; i < 8; ++i) body += fmt::format("st.global.u32 [%d0+{}], %r{};\n", 4 * i, 20 + i);
  return body + "ret;";
}

TEST(SpreadBanks, RegistersThatAnInstructionReadsLieInDifferentOnes) {
  const Compiled plain = spread_body(eight_apart(), 0);
  const Compiled spread = spread_body(eight_apart(), 8);
  EXPECT_EQ(bank_conflicts(plain.program, 8), 10u) << "eight sums and two stores\n" << plain.listing();
  EXPECT_EQ(bank_conflicts(spread.program, 8), 0u) << spread.listing();
  EXPECT_EQ(spread.program.kernels[0].registers, plain.program.kernels[0].registers) << "it takes no further register";
  EXPECT_EQ(spread.program.code.size(), plain.program.code.size());
}

TEST(SpreadBanks, PairsMoveAsPairs) {
  // Three pairs of one instruction: the allocator's R0, R8 and R16 of a file of eight banks.
  std::string body = "ld.param.u64 %d0, [in];\n";
  for (int i = 1; i < 13; ++i) body += fmt::format("ld.global.u64 %d{}, [%d0+{}];\n", i, 8 * i);
  for (int i = 1; i < 5; ++i) body += fmt::format("mad.lo.u64 %d{}, %d{}, %d{}, %d{};\n", 13 + i, i, i + 4, i + 8);
  for (int i = 1; i < 5; ++i) body += fmt::format("st.global.u64 [%d0+{}], %d{};\n", 8 * i, 13 + i);
  const Compiled plain = spread_body(body + "ret;", 0);
  const Compiled spread = spread_body(body + "ret;", 8);
  EXPECT_EQ(bank_conflicts(plain.program, 8), 18u) << "four times two pairs, and a store\n" << plain.listing();
  EXPECT_EQ(bank_conflicts(spread.program, 8), 0u) << spread.listing();
  for (const isa::Instruction& i : spread.program.code) {
    for (const isa::Operand& s : i.src) EXPECT_TRUE(s.kind != isa::Operand::Kind::gpr_pair || s.index % 2 == 0);
  }
}

TEST(SpreadBanks, TheStackPointerStaysWhereCallersExpectIt) {
  CompileOptions options;
  options.schedule = false;
  options.banks = 2;
  // Every store reads the stack pointer and a value that allocation puts into its bank: moving it would help most.
  std::string text =
      ".func (.param .b32 r) f(.param .b32 a) {\n"
      ".reg .b32 %r<30>; .local .align 4 .b8 slot[128]; .reg .b64 %d<3>;\n";
  for (int i = 0; i < 20; ++i) text += fmt::format("mov.u32 %r{}, %clock;\n", i);
  for (int i = 2; i < 20; i += 2) text += fmt::format("st.local.u32 [slot+{}], %r{};\n", 4 * i, i);
  for (int i = 1; i < 20; ++i) text += fmt::format("add.u32 %r0, %r0, %r{};\n", i);
  const Compiled c = good_module(text + "st.param.b32 [r], %r0;\nret;\n}\n", options);
  unsigned accesses = 0;
  for (const isa::Instruction& i : c.program.code) {
    if (i.space != isa::Space::local || !i.src[0].is_register()) continue;
    ++accesses;
    EXPECT_EQ(i.src[0].index, kStackRegister) << c.listing();
  }
  EXPECT_GE(accesses, 10u) << c.listing();
}

}  // namespace
}  // namespace heddle::compile
