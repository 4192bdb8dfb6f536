// Costs of single instructions, given as text.
#include "core/opcode_timing.h"

#include <gtest/gtest.h>

namespace heddle::core {
namespace {

isa::Instruction instruction(isa::Opcode op, isa::Type type, isa::Rounding rounding = isa::Rounding::none,
                             isa::Type source = isa::Type::none) {
  isa::Instruction i;
  i.op = op;
  i.type = type;
  i.source_type = source;
  i.rounding = rounding;
  return i;
}

TEST(OpcodeTimings, the_first_entry_that_matches_counts) {
  const OpcodeTimings timings("FDIV.APPROX.F32=21/8/2 FDIV.F32=44/17/10\n FDIV=110/23/20");
  using isa::Opcode;
  using isa::Rounding;
  using isa::Type;
  EXPECT_EQ(timings.find(instruction(Opcode::fdiv, Type::f32, Rounding::approx))->latency, 21);
  EXPECT_EQ(timings.find(instruction(Opcode::fdiv, Type::f32, Rounding::rn))->interval, 17);
  EXPECT_EQ(timings.find(instruction(Opcode::fdiv, Type::f64, Rounding::rn))->instructions, 20);
  EXPECT_EQ(timings.find(instruction(Opcode::fadd, Type::f32, Rounding::rn)), nullptr);
  EXPECT_EQ(OpcodeTimings("").find(instruction(Opcode::fdiv, Type::f32)), nullptr);
}

TEST(OpcodeTimings, longer_ways_are_refused_for_instructions_without_one) {
  EXPECT_EQ(OpcodeTimings::check_long_ways("FDIV.F32=296/53/53 FDIV.F64=542/87/87 FRCP=208/28/28 FSQRT.F32=194/31/31"),
            "");
  for (const char* wrong :
       {"IADD=1/1/1", "IDIV.S64=9/9/9", "FRCP.F64=9/9/9", "FDIV.APPROX.F32=9/9/9", "FDIV.FULL=9/9/9"})
    EXPECT_NE(OpcodeTimings::check_long_ways(wrong).find("longer way"), std::string::npos) << wrong;
  EXPECT_NE(OpcodeTimings::check_long_ways("FDIV.F32=1/1"), "") << "the form is looked at, too";
}

TEST(OpcodeTimings, parts_of_a_name_are_in_order) {
  const OpcodeTimings timings("CVT.S32.F32=17/8/1");
  using isa::Type;
  EXPECT_NE(timings.find(instruction(isa::Opcode::cvt, Type::s32, isa::Rounding::rzi, Type::f32)), nullptr);
  EXPECT_EQ(timings.find(instruction(isa::Opcode::cvt, Type::f32, isa::Rounding::rn, Type::s32)), nullptr);
}

TEST(OpcodeTimings, says_what_is_wrong) {
  EXPECT_EQ(OpcodeTimings::check("FDIV=1/2/3 SHF.L=4/1/1"), "");
  EXPECT_EQ(OpcodeTimings::check("FDIV"), "'FDIV' is not NAME=LATENCY/INTERVAL/INSTRUCTIONS");
  EXPECT_EQ(OpcodeTimings::check("FDIV=1/2"), "'FDIV=1/2' is not NAME=LATENCY/INTERVAL/INSTRUCTIONS");
  EXPECT_EQ(OpcodeTimings::check("DIVIDE=1/2/3"), "'DIVIDE=1/2/3': there is no such instruction");
  EXPECT_EQ(OpcodeTimings::check("FFMA.F16x2=8/2/1 VOTE=1/1/1 IMUL.HI.U64=1/1/1 FRCP.APPROX.FTZ.F32=1/1/1"), "");
  EXPECT_EQ(OpcodeTimings::check("FFMA.F16X2=8/2/1"),
            "'FFMA.F16X2=8/2/1': no instruction has 'F16X2' in its name (see: heddle disasm)");
  EXPECT_EQ(OpcodeTimings::check("FDIV=1/0/3"), "'FDIV=1/0/3': each number must be from 1 to 1000");
}

}  // namespace
}  // namespace heddle::core
