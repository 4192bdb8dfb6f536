// Additions to addresses: which go into offsets, and that registers have what they must where something else reads
// them.
#include "compile_text.h"

namespace heddle::compile {
namespace {

using isa::Opcode;

Compiled folded(const std::string& body, bool schedules = false) {
  CompileOptions options;
  options.schedule = schedules;
  options.fold_offsets = true;
  return good_module(body_text("ld.param.u64 %d0, [in];\n" + body + "\nret;"), options);
}

std::vector<std::int64_t> offsets(const Compiled& c, Opcode op = Opcode::ld) {
  std::vector<std::int64_t> found;
  for (const std::uint32_t pc : c.all(op)) {
    if (c.program.code[pc].space == isa::Space::global) found.push_back(c.program.code[pc].offset);
  }
  return found;
}

using Offsets = std::vector<std::int64_t>;

const std::string kStep = "add.s64 %d0, %d0, 4;\n";
const std::string kLoad = "ld.global.u32 %r1, [%d0];\nst.shared.u32 [%r9], %r1;\n";

TEST(FoldOffsets, adds_steps_of_a_pointer_once) {
  const Compiled c = folded(kLoad + kStep + kLoad + kStep + kLoad + kStep + "L: st.global.u64 [%d0], %d0;");
  EXPECT_EQ(offsets(c), (Offsets{0, 4, 8})) << c.listing();
  ASSERT_EQ(c.all(Opcode::iadd).size(), 1u) << c.listing();
  EXPECT_EQ(c.first(Opcode::iadd).src[1].value, 12u);
  EXPECT_LT(c.all(Opcode::iadd)[0], c.all(Opcode::st).back()) << "the next block has all of it";
}

TEST(FoldOffsets, adds_before_what_wants_the_sum) {
  const Compiled c = folded(kStep + kLoad + kStep + "st.global.u64 [%d1], %d0;\n" + kStep + kLoad);
  // The store wants eight more; the load after it knows of those.
  EXPECT_EQ(offsets(c), (Offsets{4, 4})) << c.listing();
  ASSERT_EQ(c.all(Opcode::iadd).size(), 2u) << c.listing();
  EXPECT_EQ(c.first(Opcode::iadd).src[1].value, 8u) << "for the store";
  const Compiled guarded = folded("setp.eq.u32 %p0, %r5, 0;\n" + kStep + "@%p0 " + kStep + kLoad);
  EXPECT_EQ(guarded.all(Opcode::iadd).size(), 2u) << "some lanes only";
  EXPECT_EQ(offsets(guarded), Offsets{0});
}

TEST(FoldOffsets, leaves_additions_that_are_too_far) {
  const Compiled c = folded("add.s64 %d0, %d0, 8388608;\n" + kLoad);
  EXPECT_EQ(offsets(c), Offsets{0});
  EXPECT_EQ(c.all(Opcode::iadd).size(), 1u);
}

TEST(FoldOffsets, goes_to_the_base_of_a_sum) {
  const Compiled c = folded("mul.lo.s64 %d0, %d0, 2;\nadd.s64 %d1, %d0, 16;\nadd.s64 %d2, %d1, 8;\n" +
                            std::string("ld.global.u32 %r1, [%d2+4];\nst.shared.u32 [%r9], %r1;"));
  EXPECT_EQ(offsets(c), Offsets{28}) << c.listing();
  EXPECT_TRUE(c.all(Opcode::iadd).empty()) << c.listing();
  const Compiled kept = folded("mul.lo.s64 %d0, %d0, 2;\nadd.s64 %d1, %d0, 16;\n" + kStep +
                               "mul.lo.s64 %d0, %d0, 2;\nld.global.u32 %r1, [%d1];\n" +
                               "st.shared.u32 [%r9], %r1;\nst.global.u64 [%d0], %d0;");
  EXPECT_EQ(offsets(kept), Offsets{0}) << "the base is another by then\n" << kept.listing();
}

TEST(FoldOffsets, adds_the_address_of_a_variable_in_shared_memory) {
  const std::string index = "shl.b32 %r2, %r5, 2;\nadd.u32 %r3, %r2, 64;\nld.shared.u32 %r1, [%r3];\n";
  const auto offset = [&](const std::string& more) {
    return folded(index + more + "st.global.u32 [%d0], %r1;").first(Opcode::ld).offset;
  };
  EXPECT_EQ(offset(""), 0);
  EXPECT_EQ(offset("st.shared.u32 [%r2], %r1;\n"), 64) << "an address by itself";
}

TEST(FoldOffsets, knows_a_sum_before_its_base_moves_on) {
  // %d1 is what %d0 was plus 16, wherever %d0 gets its steps.
  const Compiled c = folded("mul.lo.s64 %d0, %d0, 2;\n" + kStep + "add.s64 %d1, %d0, 16;\n" + kStep +
                            "st.global.u64 [%d3], %d0;\n" + "ld.global.u32 %r1, [%d1];\nst.shared.u32 [%r9], %r1;");
  ASSERT_EQ(offsets(c).size(), 1u);
  EXPECT_EQ(c.first(Opcode::iadd).src[1].value, 8u) << c.listing();
  EXPECT_EQ(offsets(c), Offsets{12}) << "of 4 + 16, eight are in the register\n" << c.listing();
}

TEST(FoldOffsets, lets_accesses_change_places_that_are_apart) {
  const auto order = [](const std::string& second) {
    const Compiled c = folded(
        "ld.global.u32 %r1, [%d0];\nmul.lo.u32 %r2, %r1, 3;\nst.global.u32 [%d0], %r2;\n"
        "ld.global.u32 %r3, [" +
            second + "];\nst.global.u32 [%d0+64], %r3;",
        true);
    const auto loads = c.all(Opcode::ld);
    return loads.back() < c.all(Opcode::st).front();
  };
  EXPECT_TRUE(order("%d0+4"));
  EXPECT_FALSE(order("%d0")) << "the same word";
  EXPECT_FALSE(order("%d0+2")) << "half of it";
  EXPECT_FALSE(order("%d1+4")) << "another register may hold the same address";
}

}  // namespace
}  // namespace heddle::compile
