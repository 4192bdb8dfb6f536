// Branches round short code: which become guards, and which stay.
#include "compile_text.h"

namespace heddle::compile {
namespace {

using isa::Opcode;

/// `inside` is executed where %p0 holds.
Compiled under(const std::string& inside, unsigned most = 8, const std::string& branch = "@!%p0 bra L;") {
  CompileOptions options;
  options.schedule = false;
  options.predicate = most;
  return good_module(body_text("ld.param.u64 %d0, [in];\nmov.u32 %r0, %tid.x;\nsetp.gt.u32 %p0, %r0, 5;\n" + branch +
                               "\n" + inside + "\nL: st.global.u32 [%d0], %r0;\nret;"),
                     options);
}

const std::string kAdd = "mad.lo.u32 %r0, %r0, %r0, 3;\n";

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(Predicate, puts_guards_on_short_code) {
  const Compiled c = under(repeated(kAdd, 8));
  EXPECT_TRUE(c.all(Opcode::bra).empty()) << c.listing();
  const auto inside = c.all(Opcode::imad);
  ASSERT_EQ(inside.size(), 8u);
  for (const std::uint32_t pc : inside) {
    const isa::Instruction& i = c.program.code[pc];
    EXPECT_TRUE(i.guard.exists() && !i.guard.negated) << "where the branch is not taken\n" << c.listing();
  }
  EXPECT_FALSE(c.first(Opcode::st).guard.exists());
  EXPECT_TRUE(under(kAdd, 8, "@%p0 bra L;").first(Opcode::imad).guard.negated);
  EXPECT_TRUE(under("st.global.u32 [%d0+4], %r0;").all(Opcode::bra).empty());
}

TEST(Predicate, leaves_longer_code_and_what_cannot_have_a_guard) {
  const auto stays = [](const std::string& inside) { return under(inside).all(Opcode::bra).size() == 1; };
  EXPECT_TRUE(stays(repeated(kAdd, 9)));
  EXPECT_TRUE(stays("bar.warp.sync -1;"));
  EXPECT_TRUE(stays("shfl.sync.bfly.b32 %r0, %r0, 1, 31, -1;"));
  EXPECT_TRUE(stays("activemask.b32 %r0;"));
  EXPECT_TRUE(stays("setp.eq.u32 %p0, %r0, 7; @%p0 add.u32 %r0, %r0, 1;")) << "conditions of its own";
  EXPECT_EQ(under(kAdd, 0).all(Opcode::bra).size(), 1u);
  EXPECT_EQ(under(kAdd, 8, "@!%p0 bra.uni L;").all(Opcode::bra).size(), 1u) << "nobody parts";
}

TEST(Predicate, leaves_code_that_others_jump_to) {
  const Compiled c = under("M: mad.lo.u32 %r0, %r0, %r0, 3;\nsetp.lt.u32 %p1, %r0, 1000;\n@%p1 bra M;");
  EXPECT_EQ(c.all(Opcode::bra).size(), 2u) << c.listing();
}

TEST(Predicate, keeps_jumps_to_what_follows) {
  const Compiled loop = under(
      "add.u32 %r0, %r0, 1;\nL2: add.u32 %r0, %r0, 2;\nsetp.lt.u32 %p1, %r0, 1000;\n@%p1 bra L2;", 8, "@!%p0 bra L2;");
  ASSERT_EQ(loop.all(Opcode::bra).size(), 1u) << loop.listing();
  const isa::Instruction& back = loop.first(Opcode::bra);
  EXPECT_EQ(back.target, loop.all(Opcode::iadd)[1]) << loop.listing();
}

}  // namespace
}  // namespace heddle::compile
