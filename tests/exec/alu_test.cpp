// Masks, aliases, widths and operand forms: what the recorded vectors do not show.
#include "row_bench.h"

namespace heddle::test {
namespace {

using isa::Type;
using Narrow = RowBench::Narrow;
using Wide = RowBench::Wide;

TEST(Alu, LanesThatAreNotActiveKeepTheirValue) {
  const LaneMask active = 0x80f0a501u;
  for (const char* name : {"add.s32", "min.u32", "and.b32", "add.rn.f32", "add.rz.f32", "mul24.lo.u32", "div.u32"}) {
    const Narrow a = filled([](unsigned lane) { return 0x3f800000 + lane; });
    const Narrow b = filled([](unsigned lane) { return 0x40000000 + 3 * lane; });
    Narrow all = filled(0xabababab);
    Narrow some = all;
    RowBench(name).source(0, a).source(1, b).destination(0, all).run();
    RowBench(name).source(0, a).source(1, b).destination(0, some).run(active);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      EXPECT_EQ(some[lane], ((active >> lane) & 1) != 0 ? all[lane] : 0xababababu) << name << " lane " << lane;
    }
  }
}

TEST(Alu, WideLanesThatAreNotActiveKeepTheirValue) {
  const Narrow a = filled([](unsigned lane) { return 0xfffffff0 + lane; });
  Wide d = filled<Wide>(7);
  RowBench("mul.wide.u32").source(0, a).source(1, a).destination(0, d).run(0x5);
  EXPECT_EQ(d[0], std::uint64_t{0xfffffff0} * 0xfffffff0);
  EXPECT_EQ(d[1], 7u);
  EXPECT_EQ(d[2], std::uint64_t{0xfffffff2} * 0xfffffff2);
  EXPECT_EQ(d[3], 7u);
}

TEST(Alu, ThePredicateOfAnInactiveLaneStays) {
  const Narrow a = filled([](unsigned lane) { return lane; });
  const Narrow b = filled(16);
  LaneMask p = 0xff00ff00u;
  RowBench("setp.lt.u32").source(0, a).source(1, b).destination(0, p).run(0x00ffff0fu);
  EXPECT_EQ(p, 0xff00ff0fu);
}

TEST(Alu, ADestinationMayBeASource) {
  Narrow d = filled([](unsigned lane) { return 100 * lane; });
  const Narrow a = filled([](unsigned lane) { return lane; });
  RowBench("add.s32").source(0, a).source(1, d).destination(0, d).run();
  RowBench("mad.lo.s32").source(0, a).source(1, d).source(2, d).destination(0, d).run(0xffff0000u);
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    EXPECT_EQ(d[lane], lane < 16 ? 101 * lane : 101 * lane * (lane + 1));
  }
}

TEST(Alu, AWideDestinationMayOverlapANarrowSource) {
  for (const unsigned at : {0u, kWarpSize}) {
    alignas(64) std::array<std::uint32_t, 2 * kWarpSize> pair{};
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      pair[at + lane] = 0x80000000u + lane;
    }
    RowBench bench("cvt.s64.s32");
    bench.instruction.dst[0].kind = isa::Operand::Kind::gpr_pair;
    bench.instruction.src[0].kind = isa::Operand::Kind::gpr;
    bench.arguments.dst[0] = pair.data();
    bench.arguments.src[0] = pair.data() + at;
    bench.run();
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      EXPECT_EQ(pair[2 * lane], 0x80000000u + lane);
      EXPECT_EQ(pair[2 * lane + 1], 0xffffffffu);
    }
  }
}

TEST(Alu, ADroppedResultIsNotWritten) {
  const Narrow a = filled(3);
  for (const char* name : {"add.s32", "add.rz.f32", "sub.s32"}) {
    RowBench(name).source(0, a).source(1, a).run();
  }
  RowBench("setp.eq.s32").source(0, a).source(1, a).run();
}

TEST(Alu, NarrowResultsExtendToTheRegister) {
  const Narrow a = filled(0xdead8001);
  const Narrow zero = filled(0xbeef0000);
  Narrow d{};
  RowBench("add.s16").source(0, a).source(1, zero).destination(0, d).run();
  EXPECT_EQ(d[5], 0xffff8001u);
  RowBench("add.u16").source(0, a).source(1, zero).destination(0, d).run();
  EXPECT_EQ(d[5], 0x8001u);
  Wide w{};
  RowBench("cvt.s8.s32").source(0, a).destination(0, w).run();
  EXPECT_EQ(w[5], 1u);
  const Narrow minus = filled(0x80);
  RowBench("cvt.s8.s32").source(0, minus).destination(0, w).run();
  EXPECT_EQ(w[5], 0xffffffffffffff80u);
  RowBench("mov.u16").source(0, a).destination(0, d).run();
  EXPECT_EQ(d[5], 0x8001u);
}

TEST(Alu, AConversionReadsTheLowBitsOfAWiderSource) {
  const Wide a = filled<Wide>(0x1234567890abcdefu);
  Narrow d{};
  RowBench("cvt.u32.u16").source(0, a).destination(0, d).run();
  EXPECT_EQ(d[9], 0xcdefu);
  RowBench("cvt.rn.f32.s8").source(0, a).destination(0, d).run();
  EXPECT_EQ(d[9], 0xc1880000u);  // -17
}

TEST(Alu, CarriesRunThroughAChainOfWords) {
  const Narrow ones = filled(0xffffffff);
  const Narrow one = filled(1);
  const Narrow zero = filled(0);
  Narrow low{}, high{};
  LaneMask carry = 0;
  RowBench("add.cc.u32").source(0, ones).source(1, one).destination(0, low).destination(1, carry).run();
  EXPECT_EQ(carry, kAllLanes);
  RowBench("addc.u32").source(0, zero).source(1, zero).predicate(2, carry).destination(0, high).run();
  EXPECT_EQ(low[3], 0u);
  EXPECT_EQ(high[3], 1u);
  // 2^64 - 1 - borrow: a chain of borrows through equal words.
  RowBench("sub.cc.u32").source(0, zero).source(1, one).destination(0, low).destination(1, carry).run();
  RowBench("subc.cc.u32")
      .source(0, one)
      .source(1, one)
      .predicate(2, carry)
      .destination(0, high)
      .destination(1, carry)
      .run();
  EXPECT_EQ(low[3], 0xffffffffu);
  EXPECT_EQ(high[3], 0xffffffffu);
  EXPECT_EQ(carry, 0u);  // a borrow is the absence of a carry
}

TEST(Alu, AnOperandOfTheWrongWidthIsRefused) {
  const Narrow narrow{};
  const Wide wide{};
  Narrow d{};
  EXPECT_EQ(exec::find_alu(RowBench("add.s64").source(0, wide).source(1, narrow).destination(0, d).instruction),
            nullptr);
  EXPECT_EQ(exec::find_alu(RowBench("add.s32").source(0, narrow).destination(0, d).instruction), nullptr);
  EXPECT_EQ(exec::find_alu(RowBench("add.sat.u32").source(0, narrow).source(1, narrow).destination(0, d).instruction),
            nullptr);
}

TEST(Alu, PacksAndUnpacksParts) {
  const Narrow a = filled(0xaaaa1122), b = filled(0xbbbb3344), c = filled(0xcccc5566), e = filled(0xdddd7788);
  Wide w{};
  RowBench pack("mov.b64");
  pack.instruction.op = isa::Opcode::pack;
  pack.instruction.vector = 4;
  pack.source(0, a).source(1, b).source(2, c).source(3, e).destination(0, w).run();
  EXPECT_EQ(w[31], 0x7788556633441122u);
  Narrow low{}, high{};
  RowBench unpack("mov.b64");
  unpack.instruction.op = isa::Opcode::unpack;
  unpack.instruction.vector = 2;
  unpack.source(0, w).destination(0, low).destination(1, high).run();
  EXPECT_EQ(low[31], 0x33441122u);
  EXPECT_EQ(high[31], 0x77885566u);
  RowBench bytes("mov.b32");
  bytes.instruction.op = isa::Opcode::unpack;
  bytes.instruction.vector = 4;
  Narrow self = low;
  Narrow others[3];
  bytes.source(0, self)
      .destination(0, self)
      .destination(1, others[0])
      .destination(2, others[1])
      .destination(3, others[2]);
  bytes.run();
  EXPECT_EQ(self[0], 0x22u);
  EXPECT_EQ(others[2][0], 0x33u);
}

TEST(Alu, PredicateLogicTakesConstants) {
  LaneMask p = 0x0f;
  isa::Instruction mov;
  mov.op = isa::Opcode::plogic;
  mov.logic = isa::Logic::mov;
  mov.dst[0].kind = isa::Operand::Kind::predicate;
  mov.src[0].kind = isa::Operand::Kind::immediate;
  mov.src[0].value = 1;
  exec::AluArguments arguments;
  arguments.dst_predicate[0] = &p;
  arguments.active = 0xf0;
  exec::find_alu(mov)(arguments, mov);
  EXPECT_EQ(p, 0xffu);
  mov.logic = isa::Logic::xor_;
  mov.src[0].kind = mov.src[1].kind = isa::Operand::Kind::predicate;
  arguments.src_predicate = {0x33, 0x55};
  exec::find_alu(mov)(arguments, mov);
  EXPECT_EQ(p, 0x6fu);
}

TEST(Alu, VotesCountTheActiveLanesOfOneMask) {
  const Narrow members = filled(0x0000ffff);
  Narrow d{};
  RowBench("vote.sync.ballot.b32").predicate(0, 0xff00ff0fu).source(1, members).destination(0, d).run(0x00ff00ffu);
  EXPECT_EQ(d[0], 0x0000000fu);
  LaneMask p = 0;
  RowBench("vote.sync.all.pred").predicate(0, 0xffu).source(1, members).destination(0, p).run(0x00ff00ffu);
  EXPECT_EQ(p, 0u) << "lanes 16 to 23 execute it with the same mask, and theirs is false";
}

TEST(Alu, AShuffleReadsTheRowBeforeItWritesIt) {
  Narrow row = filled([](unsigned lane) { return lane; });
  const Narrow delta = filled(1), clamp = filled(31), members = filled(0xffffffff);
  LaneMask in_range = 0;
  RowBench("shfl.sync.down.b32")
      .source(0, row)
      .source(1, delta)
      .source(2, clamp)
      .source(3, members)
      .destination(0, row)
      .destination(1, in_range)
      .run();
  EXPECT_EQ(row[0], 1u);
  EXPECT_EQ(row[30], 31u);
  EXPECT_EQ(row[31], 31u);
  EXPECT_EQ(in_range, 0x7fffffffu);
}

}  // namespace
}  // namespace heddle::test
