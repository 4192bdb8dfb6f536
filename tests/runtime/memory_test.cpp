// Loads and stores of every width, address spaces, initialisers, atomics.
#include "kernel_bench.h"

namespace heddle::runtime {
namespace {

TEST(Loads, ExtendNarrowValues) {
  EXPECT_EQ(Bench().run_warp("st.global.u32 [%d1], 0x80ff7f81; ld.global.s8 %r3, [%d1]; ld.global.u8 %r4, [%d1]; "
                             "ld.global.s16 %r5, [%d1+2]; ld.global.u16 %r6, [%d1+2]; ld.global.s8 %d4, [%d1+2]; "
                             "cvt.u32.u64 %r7, %d4; shr.u64 %d4, %d4, 32;\n"
                             "cvt.u32.u64 %r8, %d4; add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5; add.u32 %r3, %r3, "
                             "%r6; add.u32 %r3, %r3, %r7; add.u32 %r3, %r3, %r8; st.global.u32 [%d1], %r3;"),
            lanes([](auto) { return -127 + 0x81 + static_cast<std::int16_t>(0x80ff) + 0x80ff - 1 - 1; }));
}

TEST(Stores, OfNarrowValuesTouchOnlyTheirBytes) {
  EXPECT_EQ(Bench().run_warp("st.global.u32 [%d1], 0x11111111; mov.u32 %r3, 0xaabbccdd; st.global.u8 [%d1+1], %r3; "
                             "cvt.u16.u32 %h0, %r3; st.global.u16 [%d1+2], %h0;"),
            lanes([](auto) { return 0xccdddd11u; }));
}

TEST(VectorAccesses, MoveEveryElement) {
  const auto out = Bench().run<std::uint32_t>(
      "mad.wide.u32 %d2, %r0, 64, %d0; mul.lo.u32 %r3, %r0, 10; add.u32 %r4, %r3, 1; add.u32 %r5, %r3, 2; add.u32 %r6, "
      "%r3, 3; st.global.v4.u32 [%d2], {%r3, %r4, %r5, %r6}; ld.global.v2.u64 {%d4, %d5}, [%d2];\n"
      "st.global.v2.u64 [%d2+16], {%d5, %d4}; ld.global.v4.u8 {%h0, %h1, %h2, %h3}, [%d2]; st.global.v4.u8 [%d2+32], "
      "{%h3, %h2, %h1, %h0}; ld.global.v2.f32 {%f0, %f1}, [%d2+8]; st.global.v2.f32 [%d2+40], {%f1, %f0};\n"
      "ld.global.v2.u16 {%h4, %h5}, [%d2+4]; st.global.v2.u16 [%d2+36], {%h5, %h4}; mov.b64 %e0, %d4; st.global.v2.f64 "
      "[%d2+48], {%e0, %e0};",
      {1}, {32}, 32 * 16);
  for (std::uint32_t t = 0; t < 32; ++t) {
    const std::uint32_t* row = &out[t * 16];
    const std::uint32_t a = 10 * t;
    const std::vector<std::uint32_t> expected{
        a,     a + 1, a + 2, a + 3, a + 2, a + 3, a, a + 1, (a & 0xff) << 24 | (a >> 8 & 0xff) << 16, (a + 1) << 16,
        a + 3, a + 2, a,     a + 1, a,     a + 1};
    EXPECT_EQ(std::vector<std::uint32_t>(row, row + 16), expected) << t;
  }
}

TEST(HalfPrecision, GoesThroughMemory) {
  EXPECT_EQ(Bench().run_warp(
                "cvt.rn.f32.u32 %f0, %r0; cvt.rn.f16.f32 %h0, %f0; st.global.b16 [%d1], %h0; ld.global.b16 %h1, [%d1]; "
                "add.f16 %h1, %h1, %h1; cvt.f32.f16 %f1, %h1; cvt.rzi.u32.f32 %r3, %f1; st.global.u32 [%d1], %r3;"),
            lanes([](auto lane) { return 2 * lane; }));
}

TEST(GenericAddresses, ReachEverySpace) {
  EXPECT_EQ(Bench().run_warp(".local .align 8 .b8 mine[64]; mov.u64 %d3, mine; cvta.local.u64 %d3, %d3; mov.u64 %d4, "
                             "shared_data; cvta.shared.u64 %d4, %d4; cvta.const.u64 %d5, %d5; mov.u64 %d6, constant; "
                             "cvta.const.u64 %d6, %d6; mad.wide.u32 %d7, %r0, 4, %d4;\n"
                             "st.u32 [%d3+8], %r0; st.u32 [%d7], %r0; ld.local.u32 %r3, [mine+8]; cvta.to.shared.u64 "
                             "%d8, %d7; ld.shared.u32 %r4, [%d8]; ld.u32 %r5, [%d6+4]; atom.add.u32 %r6, [%d7], 5; "
                             "ld.u32 %r7, [%d7]; atom.add.u32 %r8, [%d3+8], 7; ld.u32 %r9, [%d3+8];\n"
                             "add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5; add.u32 %r3, %r3, %r7; add.u32 %r3, %r3, "
                             "%r9; st.u32 [%d1], %r3;",
                             ".const .align 4 .u32 constant[2] = {1000, 2000};"),
            lanes([](auto lane) { return 4 * lane + 2000 + 5 + 7; }));
}

TEST(GenericAddresses, OfASingleWarpMayMixSpaces) {
  EXPECT_EQ(Bench().run_warp(".local .align 8 .b8 mine[8]; mov.u64 %d3, mine; cvta.local.u64 %d3, %d3; mov.u64 %d4, "
                             "shared_data; cvta.shared.u64 %d4, %d4; mad.wide.u32 %d4, %r0, 4, %d4; rem.u32 %r3, %r0, "
                             "3; setp.eq.u32 %p0, %r3, 0; setp.eq.u32 %p1, %r3, 1;\n"
                             "selp.u64 %d5, %d3, %d1, %p0; selp.u64 %d5, %d4, %d5, %p1; st.u32 [%d5], %r0; ld.u32 %r5, "
                             "[%d5]; add.u32 %r5, %r5, 1; st.global.u32 [%d1], %r5;"),
            lanes([](auto lane) { return lane + 1; }));
}

TEST(SpacePredicates, TellTheWindows) {
  const std::string setup =
      ".local .align 8 .b8 mine[8]; mov.u64 %d3, mine; cvta.local.u64 %d3, %d3; mov.u64 %d4, shared_data; "
      "cvta.shared.u64 %d4, %d4; mov.u64 %d5, out; cvta.param.u64 %d5, %d5; mov.u32 %r5, 0;\n";
  std::string body = setup;
  int bit = 0;
  for (const char* space : {"global", "shared", "local", "param"}) {
    for (const char* reg : {"%d1", "%d4", "%d3", "%d5"})
      body += "isspacep." + std::string(space) + " %p0, " + reg + "; @%p0 or.b32 %r5, %r5, " +
              std::to_string(1 << bit++) + ";\n";
  }
  EXPECT_EQ(Bench().run_warp(
                body + "ld.u64 %d6, [%d5]; setp.eq.u64 %p1, %d6, %d0; @!%p1 mov.u32 %r5, 0; st.global.u32 [%d1], %r5;"),
            lanes([](auto) { return 0x8421; }));
}

TEST(Initialisers, HoldNumbersTextAndAddresses) {
  const std::string_view data =
      ".global .align 4 .u32 numbers[4] = {10, 20, 30}; .global .align 1 .b8 text[4] = {72, 105, 33, 0}; .global "
      ".align 8 .u64 pointers[2] = {numbers+8, generic(text)+1}; .const .align 4 .f32 real = 0f40490fdb; .global "
      ".align 8 .f64 wide[2] = {1.5, -2.0}; .global .align 2 .s16 small = -2;";
  EXPECT_EQ(Bench().run_warp(
                "ld.global.u64 %d3, [pointers]; ld.global.u32 %r3, [%d3]; ld.global.u64 %d4, [pointers+8]; ld.u8 %r4, "
                "[%d4]; ld.const.f32 %f0, [real]; cvt.rzi.u32.f32 %r5, %f0; ld.global.f64 %e0, [wide+8]; "
                "cvt.rzi.s32.f64 %r6, %e0; ld.global.s16 %r7, [small]; ld.global.u32 %r8, [numbers+12];\n"
                "add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5; add.u32 %r3, %r3, %r6; add.u32 %r3, %r3, %r7; add.u32 "
                "%r3, %r3, %r8; st.global.u32 [%d1], %r3;",
                data),
            lanes([](auto) { return 30 + 105 + 3 - 2 - 2 + 0; }));
}

TEST(Symbols, AreReadAndWrittenByTheHost) {
  Bench bench;
  const Module module =
      bench.device().load(kernel_text("ld.const.u32 %r3, [factor]; mul.lo.u32 %r3, %r3, %r0; st.global.u32 [%d1], %r3;",
                                      ".const .align 4 .u32 factor;"),
                          "test.ptx");
  const std::uint32_t factor = 6;
  EXPECT_EQ(module.symbol("factor").size, 4u);
  bench.device().copy_to_device(module.symbol("factor").address, &factor, 4);
  const DeviceArray<std::uint32_t> out(bench.device(), 32);
  bench.device().launch(module.kernel("k"), {1}, {32}, 0, out.address());
  EXPECT_EQ(out.download(), lanes([](auto lane) { return 6 * lane; }));
  EXPECT_THROW((void)module.symbol("missing"), UserError);
}

TEST(FreedMemory, ThatLiesSideBySideIsOnePieceAgain) {
  Device::Options options;
  options.memory_bytes = std::uint64_t{64} * 4096;
  Device device(options);
  std::vector<DeviceAddress> pieces;
  for (int piece = 0; piece < 8; ++piece) pieces.push_back(device.allocate(7 * 4096));  // and a guard page each
  EXPECT_THROW((void)device.allocate(1), LaunchError);
  for (const int piece : {2, 4, 3}) device.free(pieces[static_cast<std::size_t>(piece)]);
  EXPECT_EQ(device.allocate(23 * 4096), pieces[2]);
  // What ends where nothing was allocated yet goes back to that.
  for (const int piece : {7, 5, 6}) device.free(pieces[static_cast<std::size_t>(piece)]);
  EXPECT_EQ(device.allocate(1), pieces[5]);
  EXPECT_EQ(device.allocate(21 * 4096), pieces[5] + 2 * 4096);
}

TEST(HalfPrecision, SaturatesToTheLargestFiniteValueIfAskedTo) {
  // Recorded on an H200: cvt.rn.satfinite to f16 and bf16, .relu to f16x2 with 1.0 in the lower half, .rz to f16.
  struct Row {
    const char* value;
    std::uint32_t f16, bf16, relu, rz;
  };
  static constexpr Row kRows[] = {
      {"0f47C35000", 0x7bff, 0x47c3, 0x7bff3c00, 0x7bff},  // 100000
      {"0fC7C35000", 0xfbff, 0xc7c3, 0x00003c00, 0xfbff},
      {"0f7F800000", 0x7bff, 0x7f7f, 0x7bff3c00, 0x7bff},  // infinity
      {"0fFF800000", 0xfbff, 0xff7f, 0x00003c00, 0xfbff},
      {"0f40400000", 0x4200, 0x4040, 0x42003c00, 0x4200},  // 3 stays 3: it is not limited to 1
      {"0fBF800000", 0xbc00, 0xbf80, 0x00003c00, 0xbc00},
      {"0f7FC00000", 0x7fff, 0x7fff, 0x7fff3c00, 0x7fff},  // a NaN stays one
      {"0fFFC00001", 0x7fff, 0x7fff, 0x7fff3c00, 0x7fff},
      {"0f7F7FFFFF", 0x7bff, 0x7f7f, 0x7bff3c00, 0x7bff},  // would round up to infinity
      {"0fFF7FFFFF", 0xfbff, 0xff7f, 0x00003c00, 0xfbff},
      {"0f477FF000", 0x7bff, 0x4780, 0x7bff3c00, 0x7bff},
  };
  for (const Row& row : kRows) {
    const std::string load = "mov.f32 %f0, " + std::string(row.value) + "; ";
    const auto half = [&](const std::string& form) {
      return Bench().run_warp(load + "cvt" + form +
                              ".f32 %h0, %f0; cvt.u32.u16 %r3, %h0; st.global.u32 [%d1], %r3;")[0];
    };
    EXPECT_EQ(half(".rn.satfinite.f16"), row.f16) << row.value;
    EXPECT_EQ(half(".rn.satfinite.bf16"), row.bf16) << row.value;
    EXPECT_EQ(half(".rz.satfinite.f16"), row.rz) << row.value;
    EXPECT_EQ(Bench().run_warp(load + "mov.f32 %f1, 0f3F800000; cvt.rn.relu.satfinite.f16x2.f32 %r3, %f0, %f1; "
                                      "st.global.u32 [%d1], %r3;")[0],
              row.relu)
        << row.value;
  }
}

TEST(Spills, OfAPredicateThatGuardsItsOwnDefinitionKeepWhatItBecomes) {
  // Seven predicates are all there are: of twelve that live across the definitions, five must go to registers.
  std::string body;
  for (int p = 0; p < 12; ++p)
    body += "shr.u32 %r3, %r0, " + std::to_string(p % 5) + "; and.b32 %r3, %r3, 1; setp.eq.u32 %p" + std::to_string(p) +
            ", %r3, 1;\n";
  // Where p holds it becomes whether the lane is below 20; elsewhere it stays false.
  for (int p = 0; p < 12; ++p)
    body += "@%p" + std::to_string(p) + " setp.lt.u32 %p" + std::to_string(p) + ", %r0, 20;\n";
  body += "mov.u32 %r4, 0;\n";
  for (int p = 0; p < 12; ++p)
    body += "@%p" + std::to_string(p) + " or.b32 %r4, %r4, " + std::to_string(1 << p) + ";\n";
  EXPECT_EQ(Bench().run_warp(body + "st.global.u32 [%d1], %r4;"), lanes([](std::uint32_t lane) {
              std::uint32_t bits = 0;
              for (unsigned p = 0; p < 12; ++p) bits |= ((lane >> p % 5 & 1) != 0 && lane < 20 ? 1u : 0u) << p;
              return bits;
            }));
}

TEST(Atomics, OfOneWarpToOneWordAllCount) {
  const auto out = Bench().run(
      "atom.global.add.u32 %r3, [%d0], 1; atom.global.max.u32 %r4, [%d0+4], %r0; red.global.or.b32 [%d0+8], %r0; "
      "atom.global.cas.b32 %r5, [%d0+12], 0, %r0;",
      {4}, {64}, 4);
  EXPECT_EQ(out, (std::vector<std::uint32_t>{256, 255, 255, 1}));
}

TEST(SpecialRegisters, DescribeAThreeDimensionalGrid) {
  Bench bench;
  const std::string text =
      ".version 8.0 .target sm_80 .address_size 64\n.visible .entry k(.param .u64 out) { .reg .b32 a, b, c, x, y, z, "
      "i; .reg .b64 d;\n"
      "mov.u32 a, %tid.x; mov.u32 b, %tid.y; mov.u32 c, %tid.z; mov.u32 x, %ctaid.x; mov.u32 y, %ctaid.y; mov.u32 z, "
      "%ctaid.z;\n"
      "mov.u32 i, %nctaid.y; mad.lo.u32 i, z, i, y; mul.lo.u32 z, z, 100; mad.lo.u32 z, y, 10, z; add.u32 z, z, x; "
      "mov.u32 y, %nctaid.x; mad.lo.u32 i, i, y, x;\n"
      "mul.lo.u32 z, z, 1000; mad.lo.u32 z, c, 100, z; mad.lo.u32 z, b, 10, z; add.u32 z, z, a; mov.u32 y, %ntid.z; "
      "mad.lo.u32 i, i, y, c; mov.u32 y, %ntid.y; mad.lo.u32 i, i, y, b; mov.u32 y, %ntid.x; mad.lo.u32 i, i, y, a;\n"
      "ld.param.u64 d, [out]; mad.wide.u32 d, i, 4, d; st.global.u32 [d], z; ret; }";
  const Module module = bench.device().load(text, "test.ptx");
  const DeviceArray<std::uint32_t> out(bench.device(), 2 * 3 * 4 * 5 * 3 * 2);
  bench.device().launch(module.kernel("k"), {2, 3, 4}, {5, 3, 2}, 0, out.address());
  const auto values = out.download();
  std::size_t i = 0;
  for (std::uint32_t block = 0; block < 24; ++block) {
    for (std::uint32_t thread = 0; thread < 30; ++thread, ++i) {
      EXPECT_EQ(values[i], (block / 6 * 100 + block / 2 % 3 * 10 + block % 2) * 1000 + thread / 15 * 100 +
                               thread / 5 % 3 * 10 + thread % 5);
    }
  }
}

TEST(SpecialRegisters, KnowTheLaneAndItsMasks) {
  EXPECT_EQ(Bench().run_warp("mov.u32 %r3, %laneid; mov.u32 %r4, %lanemask_lt; mov.u32 %r5, %lanemask_eq; or.b32 %r4, "
                             "%r4, %r5; mov.u32 %r6, %lanemask_gt; xor.b32 %r4, %r4, %r6; not.b32 %r4, %r4; popc.b32 "
                             "%r7, %r5; add.u32 %r4, %r4, %r7; mad.lo.u32 %r4, %r3, 2, %r4; st.global.u32 [%d1], %r4;"),
            lanes([](auto lane) { return 1 + 2 * lane; }));
}

TEST(Clocks, NeverRunBackwards) {
  const auto out = Bench().run(
      "mov.u64 %d3, %clock64; mov.u32 %r3, %clock; mov.u64 %d5, %globaltimer; add.u32 %r4, %r3, 1; mov.u64 %d4, "
      "%clock64; mov.u32 %r5, %clock; mov.u64 %d6, %globaltimer; setp.gt.u64 %p0, %d4, %d3; setp.gt.and.u32 %p0, %r5, "
      "%r3, %p0; setp.ge.and.u64 %p0, %d6, %d5, %p0; selp.u32 %r6, 1, 0, %p0; st.global.u32 [%d1], %r6;",
      {2}, {64}, 128);
  EXPECT_EQ(out, std::vector<std::uint32_t>(128, 1));
}

TEST(AsynchronousCopies, ArriveBeforeTheWaitEnds) {
  EXPECT_EQ(
      Bench().run_warp("add.u32 %r3, %r0, 100; st.global.u32 [%d1], %r3; bar.warp.sync -1; mov.u32 %r9, shared_data; "
                       "mad.lo.u32 %r9, %r0, 4, %r9; setp.lt.u32 %p0, %r0, 16; selp.u32 %r8, 4, 0, %p0; "
                       "cp.async.ca.shared.global [%r9], [%d1], 4, %r8; cp.async.commit_group; cp.async.wait_group 0;\n"
                       "ld.shared.u32 %r5, [%r9]; st.global.u32 [%d1], %r5;"),
      lanes([](auto lane) { return lane < 16 ? lane + 100 : 0; }));
}

}  // namespace
}  // namespace heddle::runtime
