#include "parse_text.h"

namespace heddle::ptx {
namespace {

using Kind = Operand::Kind;
using Base = Operand::Base;

/// The last operand of `mov.b32 a, TEXT;`.
Operand operand_of(std::string_view text) {
  const Parsed parsed = good_body("mov.b32 a, " + std::string(text) + ";");
  return parsed.instruction().operands.back();
}

TEST(PtxInstructions, OpcodeAndModifiersStayAsWritten) {
  const Parsed parsed = good_body("  ld.relaxed.gpu.global.L1::evict_last.L2::128B.v2.u32 {a, b}, [d];");
  const Instruction& load = parsed.instruction();
  EXPECT_EQ(load.opcode, "ld");
  EXPECT_EQ(load.place, (SourcePlace{3, 3}));
  ASSERT_EQ(load.modifiers.size(), 7u);
  EXPECT_EQ(load.modifiers[3].text, "L1::evict_last");
  EXPECT_EQ(load.modifiers[3].place, (SourcePlace{3, 24}));
  EXPECT_EQ(load.mnemonic(), "ld.relaxed.gpu.global.L1::evict_last.L2::128B.v2.u32");
}

TEST(PtxInstructions, GuardsArePredicates) {
  const Parsed parsed = good_body("@p ret; @!q bra.uni L; L: exit;");
  ASSERT_TRUE(parsed.instruction(0).guard.has_value());
  EXPECT_FALSE(parsed.instruction(0).guard->negated);
  EXPECT_TRUE(parsed.instruction(1).guard->negated);
  EXPECT_EQ(parsed.function().registers[parsed.instruction(1).guard->reg].name, "q");
  EXPECT_FALSE(parsed.instruction(2).guard.has_value());
  expect_error(parse_body("@a ret;"), {3, 2}, "not a predicate");
}

TEST(PtxInstructions, OperandsMayBeAbsent) {
  for (const auto* text : {"ret;", "exit;", "trap;", "bar.warp.sync;"})
    EXPECT_TRUE(good_body(text).instruction().operands.empty());
}

TEST(PtxOperands, RegistersAreIndices) {
  const Parsed parsed = good_body("add.s32 a, b, %r7;");
  EXPECT_EQ(parsed.function().registers[parsed.operand(0).index].name, "a");
  EXPECT_EQ(parsed.function().registers[parsed.operand(2).index].name, "%r7");
  EXPECT_EQ(parsed.operand(2).place, (SourcePlace{3, 15}));
}

TEST(PtxOperands, ComponentsAreNumbered) {
  EXPECT_EQ(operand_of("v.x").component, 0);
  EXPECT_EQ(operand_of("v.w").component, 3);
  EXPECT_EQ(operand_of("v.g").component, 1);
  EXPECT_EQ(operand_of("v").component, -1);
  expect_error(parse_body("mov.b32 a, b.x;"), {3, 13}, "not a vector");
  expect_error(parse_body("mov.b32 a, v.h0;"), {3, 13}, "is no component");
}

TEST(PtxOperands, SpecialRegistersAreKnownByName) {
  const Operand tid = operand_of("%tid.y");
  EXPECT_EQ(tid.kind, Kind::special);
  EXPECT_EQ(tid.special, SpecialRegister::tid);
  EXPECT_EQ(tid.component, 1);
  EXPECT_EQ(operand_of("%clock64").special, SpecialRegister::clock64);
  EXPECT_EQ(operand_of("%lanemask_lt").special, SpecialRegister::lanemask_lt);
  EXPECT_EQ(operand_of("%envreg31").bits, 31u);
  EXPECT_EQ(operand_of("%pm3").bits, 3u);
  EXPECT_EQ(operand_of("%pm3_64").bits, 67u);
  EXPECT_EQ(operand_of("%reserved_smem_offset_cap").bits, 2u);
  expect_error(parse_body("mov.b32 a, %laneid.x;"), {3, 19}, "not a vector");
  expect_error(parse_body("mov.b32 a, %envreg32;"), {3, 12}, "nothing named '%envreg32'");
  expect_error(parse_body("mov.b32 a, %ctaidd.x;"), {3, 12}, "did you mean '%ctaid'?");
}

TEST(PtxOperands, ConstantsKeepTheirKind) {
  EXPECT_EQ(operand_of("-5").kind, Kind::integer);
  EXPECT_EQ(operand_of("-5").bits, static_cast<std::uint64_t>(-5));
  EXPECT_EQ(operand_of("0xffffffffffffffff").bits, ~std::uint64_t{0});
  EXPECT_EQ(operand_of("WARP_SZ").bits, 32u);
  EXPECT_EQ(operand_of("(3 * 4) | 1").bits, 13u);
  EXPECT_EQ(operand_of("!0").bits, 1u);
  EXPECT_EQ(operand_of("0f7fc00001").kind, Kind::real32);
  EXPECT_EQ(operand_of("0f7fc00001").bits, 0x7fc00001u);
  EXPECT_EQ(operand_of("0dfff8000000000001").bits, 0xfff8000000000001u);
  EXPECT_EQ(operand_of("1.5").kind, Kind::real64);
  EXPECT_EQ(operand_of("-1.5").bits, 0xbff8000000000000u);
}

TEST(PtxOperands, TheAddressOfAVariableIsAValue) {
  const Operand plain = operand_of("table");
  EXPECT_EQ(plain.kind, Kind::variable);
  EXPECT_EQ(plain.offset, 0);
  EXPECT_EQ(operand_of("table+4").offset, 4);
  EXPECT_EQ(operand_of("table-4").offset, -4);
  EXPECT_EQ(operand_of("table[3]").offset, 12);
  EXPECT_EQ(operand_of("table[3]").kind, Kind::variable);
}

TEST(PtxOperands, AnAddressHasABaseAndAnOffset) {
  const Operand plain = operand_of("[d]");
  EXPECT_EQ(plain.kind, Kind::address);
  EXPECT_EQ(plain.base, Base::reg);
  EXPECT_EQ(plain.offset, 0);
  EXPECT_EQ(operand_of("[d+16]").offset, 16);
  EXPECT_EQ(operand_of("[d + 4 + 4]").offset, 8);
  EXPECT_EQ(operand_of("[table+8]").base, Base::variable);
  EXPECT_EQ(operand_of("[table+8]").offset, 8);
  EXPECT_EQ(operand_of("[0x10]").base, Base::constant);
  EXPECT_EQ(operand_of("[0x10]").offset, 16);
  EXPECT_EQ(operand_of("[v.y]").component, 1);
}

TEST(PtxOperands, ANegativeOffsetIsPartOfTheAddress) {
  EXPECT_EQ(operand_of("[d-8]").offset, -8);
  EXPECT_EQ(operand_of("[d+-8]").offset, -8);
  EXPECT_EQ(operand_of("[table-8]").offset, -8);
}

TEST(PtxOperands, AnElementOfAnArrayIsAnAddressWhereOneIsMeant) {
  const Parsed parsed = good_body("ld.global.u32 a, table[2];");
  EXPECT_EQ(parsed.operand(1).kind, Kind::address);
  EXPECT_EQ(parsed.operand(1).base, Base::variable);
  EXPECT_EQ(parsed.operand(1).offset, 8);
}

TEST(PtxOperands, VectorsKeepTheirElements) {
  const Parsed parsed = good_body("ld.global.v4.b32 {a, _, v.z, %r1}, [d];");
  const Operand& vector = parsed.operand(0);
  EXPECT_EQ(vector.kind, Kind::vector);
  ASSERT_EQ(vector.elements.size(), 4u);
  EXPECT_EQ(vector.elements[1].kind, Kind::sink);
  EXPECT_EQ(vector.elements[2].component, 2);
}

TEST(PtxOperands, PairsAreTwoDestinations) {
  const Parsed parsed = good_body("setp.lt.and.s32 p|_, a, b, !q;");
  EXPECT_EQ(parsed.operand(0).kind, Kind::pair);
  ASSERT_EQ(parsed.operand(0).elements.size(), 2u);
  EXPECT_EQ(parsed.operand(0).elements[1].kind, Kind::sink);
  EXPECT_TRUE(parsed.operand(3).negated);
  EXPECT_EQ(parsed.operand(3).kind, Kind::reg);
  expect_error(parse_body("setp.lt.s32 p|3, a, b;"), {3, 15}, "must be registers");
}

TEST(PtxOperands, TextureCoordinatesBelongToTheAddress) {
  const Parsed parsed = good_body("tex.2d.v4.f32.f32 {f, f, f, g}, [picture, {f, g}];");
  const Operand& address = parsed.operand(1);
  EXPECT_EQ(address.kind, Kind::address);
  EXPECT_EQ(address.base, Base::variable);
  ASSERT_EQ(address.elements.size(), 1u);
  EXPECT_EQ(address.elements[0].elements.size(), 2u);
}

TEST(PtxOperands, OneCoordinateWithoutBracesIsAVectorOfOne) {
  const Operand address = operand_of("[d, f]");
  ASSERT_EQ(address.elements.size(), 1u);
  EXPECT_EQ(address.elements[0].kind, Kind::vector);
  EXPECT_EQ(address.elements[0].elements.size(), 1u);
}

TEST(PtxOperands, ASeparateSamplerFollowsTheCoordinates) {
  const Operand address = operand_of("[picture, d, {f, g}]");
  ASSERT_EQ(address.elements.size(), 2u);
  EXPECT_EQ(address.elements[0].elements.size(), 2u);
  EXPECT_EQ(address.elements[1].kind, Kind::reg);
}

TEST(PtxOperands, TensorCopiesHaveAddressesWithCoordinates) {
  const Parsed parsed =
      good_body("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [a], [d, {b, c}], [a];");
  ASSERT_EQ(parsed.instruction().operands.size(), 3u);
  EXPECT_EQ(parsed.instruction().modifiers[5].text, "global");
  EXPECT_EQ(parsed.instruction().modifiers[6].text, "mbarrier::complete_tx::bytes");
}

TEST(PtxOperands, APairMayBeginWithAVector) {
  const Parsed parsed = good_body("tex.2d.v4.f32.f32 {f, f, f, g}|p, [picture, {f, g}];");
  EXPECT_EQ(parsed.operand(0).kind, Kind::pair);
  EXPECT_EQ(parsed.operand(0).elements[0].kind, Kind::vector);
}

TEST(PtxInstructions, UnusualFormsAreRead) {
  for (const auto* text : {
           "ld.global.v8.b32 {a, b, c, a, b, c, a, _}, [d];",
           "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {f, f, f, f}, {a, a, a, a}, {b, b}, {g, g, g, g};",
           "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {f, g}, {a, b}, {a, b}, {f, g}, c, "
           "0x0;",
           "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f, f, f, f}, d, d, p, 1, 1, 0, 0;",
           "tcgen05.ld.sync.aligned.32x32b.x1.b32 {a}, [b];",
           "tcgen05.mma.cta_group::1.kind::f16 [a], d, d, b, p;",
           "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [a], [d, {a, b, c, a}], "
           "[b], {a, b};",
           "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [a], b, [c];",
           "atom.global.v4.f32.add {f, f, f, f}, [d], {g, g, g, g};",
           "bar.red.popc.u32 a, 0, 32, !p;",
           "barrier.cta.red.and.pred p, 0, q;",
           "elect.sync a|p, 0xffffffff;",
           "lop3.or.b32 a|p, a, b, c, 0x40, q;",
           "discard.global.L2 [d], 128;",
           "suld.b.2d.v2.b32.trap {a, b}, [d, {a, b}];",
           "sust.p.1d.b32.zero [d, {a}], {b};",
           "tex.grad.2d.v4.f32.f32 {f, f, f, f}, [d, {f, g}], {f, g}, {f, g};",
           "tld4.r.2d.v4.f32.f32 {f, f, f, f}, [d, {f, g}], {a, b}, f;",
           "txq.width.b32 a, [picture];",
           "isspacep.shared::cta p, d;",
           "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 d, 0.5;",
           "griddepcontrol.wait;",
           "nanosleep.u32 100;",
           "mov.b64 {a, b}, d;",
       }) {
    EXPECT_EQ(good_body(text).function().body.size(), 1u) << text;
  }
}

TEST(PtxOperands, WhatIsNoOperandIsRefused) {
  expect_error(parse_body("add.s32 a, b, -c;"), {3, 15}, "cannot negate");
  expect_error(parse_body("ld.global.u32 a, [d+b];"), {3, 21}, "only a constant");
  expect_error(parse_body("ld.global.u32 a, [kernel];"), {3, 19}, "cannot be an address");
  expect_error(parse_body("ld.global.u32 a, [dd];"), {3, 19},
               "nothing named 'dd' is declared here (did you mean 'd'?)");
  expect_error(parse_body("ld.global.u32 a, [1.5];"), {3, 19}, "expected an integer");
  expect_error(parse_body("ld.global.u32 a, [d,4];"), {3, 21}, "coordinates");
  expect_error(parse_body("add.s32 a, , b;"), {3, 12}, "expected an operand");
  expect_error(parse_body("mov.b64 {}, d;"), {3, 10}, "expected an operand");
  expect_error(parse_body("mov.b64 {{a}, b}, d;"), {3, 10}, "expected an operand");
  expect_error(parse_body("mov.b32 a, %r10;"), {3, 12}, "'%r<10>' declares numbers below 10");
  expect_error(parse_body("mov.b32 a b;"), {3, 11}, "expected ',' or ';' after an operand, found 'b'");
}

}  // namespace
}  // namespace heddle::ptx
