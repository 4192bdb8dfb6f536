// Loads of shared and constant memory that are left out or merged, and those that must not be.
#include "compile_text.h"

namespace heddle::compile {
namespace {

using isa::Opcode;

Compiled combined(const std::string& body) {
  CompileOptions options;
  options.schedule = false;
  options.combine_loads = true;
  return good_module(body_text(body), options);
}

/// How many loads are left of a body between two loads of the word at %r0.
std::size_t loads_around(const std::string& between, const std::string& before = "") {
  return combined("ld.param.u64 %d0, [in];\nmov.u32 %r0, %tid.x;\n" + before + "ld.shared.u32 %r1, [%r0];\n" + between +
                  "\nld.shared.u32 %r2, [%r0];\nadd.u32 %r3, %r1, %r2;\nst.global.u32 [%d0], %r3;\nret;")
      .all(Opcode::ld)
      .size();
}

TEST(CombineLoads, loads_a_word_once) {
  EXPECT_EQ(loads_around(""), 1u);
  EXPECT_EQ(loads_around("st.global.u32 [%d0], %r1;"), 1u) << "other memory";
  EXPECT_EQ(loads_around("add.u32 %r4, %r1, 1; st.global.u32 [%d0], %r4;"), 1u);
}

TEST(CombineLoads, loads_a_word_again_that_may_have_changed) {
  EXPECT_EQ(loads_around("st.shared.u32 [%r9], %r1;"), 2u);
  EXPECT_EQ(loads_around("st.u32 [%d0], %r1;"), 2u) << "a generic address may be of shared memory";
  EXPECT_EQ(loads_around("bar.sync 0;"), 2u);
  EXPECT_EQ(loads_around("bar.warp.sync -1;"), 2u);
  EXPECT_EQ(loads_around("membar.cta;"), 2u);
  EXPECT_EQ(loads_around("red.shared.add.u32 [%r9], 1;"), 2u);
  EXPECT_EQ(loads_around("add.u32 %r0, %r0, 4;"), 2u) << "another address";
  EXPECT_EQ(loads_around("", "setp.eq.u32 %p0, %r0, 3;\n@%p0 "), 2u) << "not all lanes have it";
  EXPECT_EQ(combined("mov.u32 %r0, %tid.x;\nld.volatile.shared.u32 %r1, [%r0];\nld.volatile.shared.u32 %r2, [%r0];\n"
                     "st.shared.u32 [%r1], %r2;\nret;")
                .all(Opcode::ld)
                .size(),
            2u);
}

TEST(CombineLoads, keeps_what_a_register_had) {
  // The first result is overwritten before the second load, which must not become a copy of it.
  const Compiled c = combined(
      "mov.u32 %r0, %tid.x;\nld.shared.u32 %r1, [%r0];\nst.global.u32 [%d0], %r1;\nadd.u32 %r1, %r1, 5;\n"
      "ld.shared.u32 %r2, [%r0];\nst.global.u32 [%d0], %r2;\nst.global.u32 [%d0+4], %r1;\nret;");
  EXPECT_EQ(c.all(Opcode::ld).size(), 2u) << c.listing();
}

/// Loads of %f0, %f1, ... at the offsets, from sixteen times a thread's number unless the address is given.
Compiled at_offsets(const std::vector<std::pair<int, std::string>>& loads,
                    const std::string& address = "mul.lo.u32 %r1, %r0, 16;") {
  std::string body = "ld.param.u64 %d0, [in];\nmov.u32 %r0, %tid.x;\n" + address + "\n";
  std::string uses;
  int number = 0;
  for (const auto& [offset, between] : loads) {
    body += between + "ld.shared.f32 %f" + std::to_string(number) + ", [%r1+" + std::to_string(offset) + "];\n";
    uses += "st.global.f32 [%d0+" + std::to_string(4 * number) + "], %f" + std::to_string(number) + ";\n";
    ++number;
  }
  return combined(body + uses + "ret;");
}

std::vector<unsigned> widths(const Compiled& c) {
  std::vector<unsigned> found;
  for (const std::uint32_t pc : c.all(Opcode::ld)) {
    if (c.program.code[pc].space == isa::Space::shared) found.push_back(c.program.code[pc].vector);
  }
  return found;
}

using Widths = std::vector<unsigned>;

TEST(CombineLoads, merges_words_side_by_side) {
  const Compiled c = at_offsets({{16, ""}, {28, ""}, {20, ""}, {24, ""}});
  ASSERT_EQ(widths(c), Widths{4}) << c.listing();
  EXPECT_EQ(c.first(Opcode::ld).offset, 16);
  // In the order of addresses, not of the code.
  const auto stores = c.all(Opcode::st);
  const isa::Instruction& load = c.first(Opcode::ld);
  const unsigned order[] = {0, 3, 1, 2};
  for (std::size_t s = 0; s < 4; ++s)
    EXPECT_EQ(c.program.code[stores[s]].src[1].index, load.dst[order[s]].index) << c.listing();
  EXPECT_EQ(widths(at_offsets({{0, ""}, {4, ""}, {8, ""}})), (Widths{2, 1}));
}

TEST(CombineLoads, merges_only_what_is_aligned) {
  EXPECT_EQ(widths(at_offsets({{4, ""}, {8, ""}})), (Widths{1, 1})) << "across eight bytes";
  EXPECT_EQ(widths(at_offsets({{0, ""}, {4, ""}, {8, ""}, {12, ""}}, "mul.lo.u32 %r1, %r0, 8;")), (Widths{2, 2}));
  EXPECT_EQ(widths(at_offsets({{0, ""}, {4, ""}}, "mul.lo.u32 %r1, %r0, 4;")), (Widths{1, 1}));
  EXPECT_EQ(widths(at_offsets({{0, ""}, {4, ""}}, "mul.lo.u32 %r1, %r0, 16; add.u32 %r1, %r1, 4;")), (Widths{1, 1}))
      << "one of two definitions is no multiple";
  EXPECT_EQ(widths(at_offsets({{0, ""}, {4, ""}}, "shl.b32 %r2, %r0, 5; add.u32 %r1, %r2, 64;")), Widths{2});
}

TEST(CombineLoads, merges_nothing_across_what_may_change_it) {
  EXPECT_EQ(widths(at_offsets({{0, ""}, {4, "bar.sync 0;"}})), (Widths{1, 1}));
  EXPECT_EQ(widths(at_offsets({{0, ""}, {4, "st.shared.u32 [%r9], %r0;"}})), (Widths{1, 1}));
  EXPECT_EQ(widths(at_offsets({{0, ""}, {4, "add.u32 %r1, %r1, 16;"}})), (Widths{1, 1}));
  EXPECT_EQ(widths(at_offsets({{0, ""}, {4, "st.global.f32 [%d0+64], %f1;"}})), (Widths{1, 1}))
      << "the register is needed as it is before";
}

}  // namespace
}  // namespace heddle::compile
