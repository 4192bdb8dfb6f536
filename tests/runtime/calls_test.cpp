// Functions: results, recursion, pointers, parameters of every kind, calls by some lanes only.
#include "kernel_bench.h"

namespace heddle::runtime {
namespace {

constexpr std::string_view kSquare =
    ".func (.param .b32 r) square(.param .b32 a) { .reg .b32 x; ld.param.b32 x, [a]; mul.lo.u32 x, x, x; st.param.b32 "
    "[r], x; ret; }";

TEST(Calls, PassArgumentsAndResults) {
  EXPECT_EQ(Bench().run_warp(".param .b32 a, r; st.param.b32 [a], %r0; call (r), square, (a); ld.param.b32 %r5, [r]; "
                             "add.u32 %r5, %r5, %r0; st.global.u32 [%d1], %r5;",
                             kSquare),
            lanes([](auto lane) { return lane * lane + lane; }));
}

TEST(Calls, BySomeLanesLeaveTheOthersAlone) {
  EXPECT_EQ(Bench().run_warp("setp.lt.u32 %p0, %r0, 8; mov.u32 %r5, 3; @!%p0 bra E;\n{ .param .b32 a, r; st.param.b32 "
                             "[a], %r0; call (r), square, (a); ld.param.b32 %r5, [r]; }\n"
                             "E: add.u32 %r5, %r5, %r0; st.global.u32 [%d1], %r5;",
                             kSquare),
            lanes([](auto lane) { return lane < 8 ? lane * lane + lane : 3 + lane; }));
}

TEST(Calls, UnderAGuardWorkInsideFunctions) {
  const std::string functions = std::string(kSquare) +
                                " .func (.param .b32 r) outer(.param .b32 a) { .reg .b32 x, y; .reg .pred p; .param "
                                ".b32 b, s; ld.param.b32 x, [a]; setp.gt.u32 p, x, 5; mov.u32 y, 1; "
                                "st.param.b32 [b], x; @p call (s), square, (b); @p ld.param.b32 y, [s]; add.u32 y, y, "
                                "x; st.param.b32 [r], y; ret; }";
  EXPECT_EQ(Bench().run_warp(".param .b32 a, r; st.param.b32 [a], %r0; call (r), outer, (a); ld.param.b32 %r5, [r]; "
                             "st.global.u32 [%d1], %r5;",
                             functions),
            lanes([](auto lane) { return lane > 5 ? lane * lane + lane : 1 + lane; }));
}

TEST(Calls, MayRecurse) {
  const std::string_view fibonacci =
      ".func (.param .b32 r) fib(.param .b32 n) { .reg .b32 x, y, z; .reg .pred p; ld.param.b32 x, [n]; setp.lt.u32 p, "
      "x, 2; @p bra BASE;\n"
      "{ .param .b32 a, s; sub.u32 y, x, 1; st.param.b32 [a], y; call (s), fib, (a); ld.param.b32 z, [s]; }\n"
      "{ .param .b32 a, s; sub.u32 y, x, 2; st.param.b32 [a], y; call (s), fib, (a); ld.param.b32 y, [s]; }\nadd.u32 "
      "x, y, z;\nBASE: st.param.b32 [r], x; ret; }";
  const auto fib = [](auto& self, std::uint32_t n) -> std::uint32_t {
    return n < 2 ? n : self(self, n - 1) + self(self, n - 2);
  };
  EXPECT_EQ(Bench().run_warp(".param .b32 a, r; and.b32 %r3, %r0, 15; st.param.b32 [a], %r3; call (r), fib, (a); "
                             "ld.param.b32 %r5, [r]; st.global.u32 [%d1], %r5;",
                             fibonacci),
            lanes([&](auto lane) { return fib(fib, lane % 16); }));
}

TEST(Calls, ThatRecurseWithoutEndOverflowTheStack) {
  const LaunchError error =
      Bench().fault("call forever, (); ", {1}, {32},
                    ".func forever() { .reg .b32 x; mov.u32 x, %tid.x; call forever, (); st.global.u32 [x], x; ret; }");
  EXPECT_NE(std::string(error.what()).find("in function 'forever'"), std::string::npos) << error.what();
}

TEST(Calls, ThroughPointersMayDifferByLane) {
  const std::string_view functions =
      ".func (.param .b32 r) twice(.param .b32 a) { .reg .b32 x; ld.param.b32 x, [a]; shl.b32 x, x, 1; st.param.b32 "
      "[r], x; ret; }\n"
      ".func (.param .b32 r) plus(.param .b32 a) { .reg .b32 x; ld.param.b32 x, [a]; add.u32 x, x, 100; st.param.b32 "
      "[r], x; ret; }\n"
      ".func (.param .b32 r) none(.param .b32 a) { st.param.b32 [r], 7; ret; }\n.global .align 8 .u64 table[3] = "
      "{twice, plus, none};";
  EXPECT_EQ(Bench().run_warp("P: .callprototype (.param .b32 _) _ (.param .b32 _); .param .b32 a, r; rem.u32 %r3, %r0, "
                             "3; mov.u64 %d3, table; mad.wide.u32 %d3, %r3, 8, %d3; ld.global.u64 %d4, [%d3];\n"
                             "st.param.b32 [a], %r0; call (r), %d4, (a), P; ld.param.b32 %r5, [r]; add.u32 %r5, %r5, "
                             "%r0; st.global.u32 [%d1], %r5;",
                             functions),
            lanes([](auto lane) {
              return lane + (lane % 3 == 0 ? 2 * lane : lane % 3 == 1 ? 100 + lane : 7);
            }));
}

TEST(Calls, ToWhatIsNoFunctionFault) {
  const LaunchError error = Bench().fault("P: .callprototype _ (); mov.u64 %d3, 0x123456; call %d3, (), P;");
  EXPECT_EQ(error.cuda_error(), 718);
  EXPECT_NE(std::string(error.what()).find("0x123456"), std::string::npos) << error.what();
}

TEST(Calls, TakeRegisterParameters) {
  const std::string_view function =
      ".func (.reg .b32 r, .reg .b64 w) both(.reg .b32 a, .reg .b64 b) { add.u32 r, a, 1; add.u64 w, b, 2; ret; }";
  EXPECT_EQ(Bench().run_warp("cvt.u64.u32 %d4, %r0; call (%r5, %d5), both, (%r0, %d4); cvt.u32.u64 %r6, %d5; "
                             "mad.lo.u32 %r5, %r5, 100, %r6; st.global.u32 [%d1], %r5;",
                             function),
            lanes([](auto lane) { return (lane + 1) * 100 + lane + 2; }));
}

TEST(Calls, PassStructuresByValue) {
  const std::string_view function =
      ".func (.param .align 8 .b8 r[16]) swap(.param .align 8 .b8 s[16]) { .reg .b32 x, y; .reg .b64 z; .reg .b16 h; "
      "ld.param.v2.b32 {x, y}, [s]; ld.param.b64 z, [s+8]; "
      "st.param.b64 [r], z; st.param.b32 [r+8], y; st.param.b32 [r+12], x; ret; }";
  EXPECT_EQ(Bench().run_warp(
                ".param .align 8 .b8 a[16]; .param .align 8 .b8 r[16]; add.u32 %r3, %r0, 1; cvt.u64.u32 %d4, %r0; "
                "mul.lo.u64 %d4, %d4, 10; st.param.v2.b32 [a], {%r0, %r3}; st.param.b64 [a+8], %d4;\n"
                "call (r), swap, (a); ld.param.b64 %d5, [r]; ld.param.v2.b32 {%r5, %r6}, [r+8]; cvt.u32.u64 %r7, %d5; "
                "mad.lo.u32 %r7, %r5, 10000, %r7; mad.lo.u32 %r7, %r6, 1000000, %r7; st.global.u32 [%d1], %r7;",
                function),
            lanes([](auto lane) { return lane * 10 + (lane + 1) * 10000 + lane * 1000000; }));
}

TEST(Calls, KeepPredicatesAndPairsAlive) {
  EXPECT_EQ(
      Bench().run_warp("cvt.u64.u32 %d4, %r0; shl.b64 %d4, %d4, 33; setp.lt.u32 %p3, %r0, 5; setp.gt.u32 %p4, %r0, 20; "
                       ".param .b32 a, r; st.param.b32 [a], %r0; call (r), square, (a); ld.param.b32 %r5, [r];\n"
                       "shr.u64 %d4, %d4, 33; cvt.u32.u64 %r6, %d4; @%p3 add.u32 %r6, %r6, 1000; @%p4 add.u32 %r6, "
                       "%r6, 2000; add.u32 %r5, %r5, %r6; st.global.u32 [%d1], %r5;",
                       kSquare),
      lanes([](auto lane) { return lane * lane + lane + (lane < 5 ? 1000 : 0) + (lane > 20 ? 2000 : 0); }));
}

TEST(Calls, ReturnEarlyForSomeLanes) {
  const std::string_view function =
      ".func (.param .b32 r) f(.param .b32 a) { .reg .b32 x; .reg .pred p; ld.param.b32 x, [a]; st.param.b32 [r], 1; "
      "setp.lt.u32 p, x, 10; @p ret; activemask.b32 x; st.param.b32 [r], x; ret; }";
  EXPECT_EQ(Bench().run_warp(".param .b32 a, r; st.param.b32 [a], %r0; call (r), f, (a); ld.param.b32 %r5, [r]; "
                             "activemask.b32 %r6; add.u32 %r5, %r5, %r6; st.global.u32 [%d1], %r5;",
                             function),
            lanes([](auto lane) { return lane < 10 ? 0u : 0xfffffc00u - 1u; }));
}

TEST(Calls, GiveEveryFrameItsOwnLocals) {
  const std::string_view function =
      ".func (.param .b32 r) sum(.param .b32 n) { .local .align 4 .b8 buffer[16]; .reg .b32 x, y; .reg .b64 d; .reg "
      ".pred p; ld.param.b32 x, [n]; st.local.u32 [buffer+4], x; mov.u32 y, 0; setp.eq.u32 p, x, 0; @p bra E;\n"
      "{ .param .b32 a, s; sub.u32 y, x, 1; st.param.b32 [a], y; call (s), sum, (a); ld.param.b32 y, [s]; }\nE: "
      "mov.u64 d, buffer; cvta.local.u64 d, d; ld.u32 x, [d+4]; add.u32 x, x, y; st.param.b32 [r], x; ret; }";
  EXPECT_EQ(Bench().run_warp(".param .b32 a, r; st.param.b32 [a], %r0; call (r), sum, (a); ld.param.b32 %r5, [r]; "
                             "st.global.u32 [%d1], %r5;",
                             function),
            lanes([](auto lane) { return lane * (lane + 1) / 2; }));
}

}  // namespace
}  // namespace heddle::runtime
