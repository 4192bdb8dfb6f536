// Accesses that are releases, which a fence goes before.
#include "compile_text.h"

namespace heddle::compile {
namespace {

using isa::Opcode;

struct Ordered {
  std::size_t fences = 0;
  bool before = false;  ///< the fence comes before the access
  isa::Scope scope = isa::Scope::none;
};

Ordered ordered(const std::string& access, Opcode op) {
  const Compiled c =
      good_module(body_text("ld.param.u64 %d0, [in];\n" + access + "\nst.global.u32 [%d0+8], %r0;\nret;"));
  const auto fences = c.all(Opcode::fence);
  Ordered result{fences.size()};
  if (fences.empty()) return result;
  result.before = c.all(op).at(0) > fences[0];
  result.scope = c.program.code.at(fences[0]).scope;
  return result;
}

TEST(Release, PutsAFenceOfItsScopeBeforeTheAccess) {
  const Ordered add = ordered("atom.add.release.gpu.global.u32 %r0, [%d0], %r1;", Opcode::atom);
  EXPECT_EQ(add.fences, 1u);
  EXPECT_TRUE(add.before);
  EXPECT_EQ(add.scope, isa::Scope::gpu);
  const Ordered store = ordered("st.release.sys.global.u32 [%d0], %r1;", Opcode::st);
  EXPECT_EQ(store.fences, 1u);
  EXPECT_EQ(store.scope, isa::Scope::system);
  EXPECT_EQ(ordered("red.release.cta.global.add.u32 [%d0], %r1;", Opcode::red).scope, isa::Scope::cta);
  EXPECT_EQ(ordered("atom.acq_rel.gpu.global.cas.b32 %r0, [%d0], %r1, %r2;", Opcode::atom).fences, 1u);
}

TEST(Release, OthersHaveNone) {
  EXPECT_EQ(ordered("atom.add.relaxed.gpu.global.u32 %r0, [%d0], %r1;", Opcode::atom).fences, 0u);
  EXPECT_EQ(ordered("atom.global.add.u32 %r0, [%d0], %r1;", Opcode::atom).fences, 0u);
  EXPECT_EQ(ordered("ld.acquire.gpu.global.u32 %r0, [%d0]; st.global.u32 [%d0], %r0;", Opcode::ld).fences, 0u);
  EXPECT_EQ(ordered("st.volatile.global.u32 [%d0], %r1;", Opcode::st).fences, 0u);
}

}  // namespace
}  // namespace heddle::compile
