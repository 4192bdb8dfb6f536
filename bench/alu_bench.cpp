// Host time of one row, 32 lanes, of the instructions that programs execute most.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <string>

#include "exec/alu.h"

namespace heddle {
namespace {

using isa::Compare;
using isa::Instruction;
using isa::Opcode;
using isa::Operand;
using isa::Part;
using isa::Rounding;
using isa::Type;

struct Rows {
  alignas(64) std::array<std::array<std::uint64_t, kWarpSize>, 4> rows{};
  LaneMask predicate = 0;
};

void set_operands(Instruction& instruction, unsigned sources) {
  const auto kind = [](Type type) { return isa::size_of(type) == 8 ? Operand::Kind::gpr_pair : Operand::Kind::gpr; };
  const Type from = instruction.source_type != Type::none ? instruction.source_type : instruction.type;
  const bool widens = instruction.part == Part::wide;
  const bool predicate = instruction.op == Opcode::setp;
  instruction.dst[0].kind = predicate ? Operand::Kind::predicate
                            : widens  ? Operand::Kind::gpr_pair
                                      : kind(instruction.type);
  for (unsigned s = 0; s < sources; ++s) {
    instruction.src[s].kind = kind(from);
  }
  if (instruction.op == Opcode::shl) {
    instruction.src[1].kind = Operand::Kind::gpr;
  }
  if (instruction.op == Opcode::selp) {
    instruction.src[2].kind = Operand::Kind::predicate;
  }
  if (instruction.op == Opcode::imad && widens) {
    instruction.src[2].kind = Operand::Kind::gpr_pair;
  }
}

void run(benchmark::State& state, Instruction instruction, unsigned sources, LaneMask active) {
  set_operands(instruction, sources);
  Rows rows;
  const bool is_float =
      isa::is_float(instruction.source_type != Type::none ? instruction.source_type : instruction.type);
  for (unsigned r = 0; r < 3; ++r) {
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      const std::uint64_t bits = 0x3f8000003f800000u + 0x0000123400012345u * (lane + 7 * r);
      rows.rows[r][lane] = is_float ? bits : bits * 0x9e3779b97f4a7c15u;
    }
  }
  exec::AluArguments arguments;
  arguments.active = active;
  arguments.dst[0] = &rows.rows[3];
  if (instruction.op == Opcode::setp) {
    arguments.dst_predicate[0] = &rows.predicate;
  }
  for (unsigned s = 0; s < sources; ++s) {
    arguments.src[s] = &rows.rows[s];
    arguments.src_predicate[s] = 0x5a5a1234u;
  }
  const exec::AluFunction function = exec::find_alu(instruction);
  if (function == nullptr) {
    state.SkipWithError("no such instruction");
    return;
  }
  for (auto _ : state) {
    function(arguments, instruction);
    benchmark::ClobberMemory();
  }
}

struct Case {
  const char* name;
  Instruction instruction;
  unsigned sources;
};

Instruction make(Opcode op, Type type, Type source = Type::none, Rounding rounding = Rounding::none,
                 Part part = Part::none, Compare compare = Compare::none) {
  Instruction instruction;
  instruction.op = op;
  instruction.type = type;
  instruction.source_type = source;
  instruction.rounding = rounding;
  instruction.part = part;
  instruction.compare = compare;
  return instruction;
}

void register_all() {
  const Type none = Type::none;
  Instruction flushing = make(Opcode::ffma, Type::f32, none, Rounding::rn);
  flushing.ftz = true;
  Instruction logic = make(Opcode::lop3, Type::b32);
  logic.immediate = 0x96;
  const Case cases[] = {
      {"mov.b32", make(Opcode::mov, Type::b32), 1},
      {"add.s32", make(Opcode::iadd, Type::s32), 2},
      {"add.s64", make(Opcode::iadd, Type::s64), 2},
      {"mul.lo.s32", make(Opcode::imul, Type::s32, none, Rounding::none, Part::lo), 2},
      {"mad.lo.s32", make(Opcode::imad, Type::s32, none, Rounding::none, Part::lo), 3},
      {"mul.wide.s32", make(Opcode::imul, Type::s32, none, Rounding::none, Part::wide), 2},
      {"mad.wide.s32", make(Opcode::imad, Type::s32, none, Rounding::none, Part::wide), 3},
      {"and.b32", make(Opcode::and_, Type::b32), 2},
      {"shl.b32", make(Opcode::shl, Type::b32), 2},
      {"shl.b64", make(Opcode::shl, Type::b64), 2},
      {"lop3.b32", logic, 3},
      {"setp.lt.s32", make(Opcode::setp, Type::s32, none, Rounding::none, Part::none, Compare::lt), 2},
      {"setp.lt.u64", make(Opcode::setp, Type::u64, none, Rounding::none, Part::none, Compare::lt), 2},
      {"setp.gt.f32", make(Opcode::setp, Type::f32, none, Rounding::none, Part::none, Compare::gt), 2},
      {"selp.b32", make(Opcode::selp, Type::b32), 3},
      {"min.s32", make(Opcode::imin, Type::s32), 2},
      {"add.f32", make(Opcode::fadd, Type::f32, none, Rounding::rn), 2},
      {"mul.f32", make(Opcode::fmul, Type::f32, none, Rounding::rn), 2},
      {"fma.rn.f32", make(Opcode::ffma, Type::f32, none, Rounding::rn), 3},
      {"fma.rn.ftz.f32", flushing, 3},
      {"div.rn.f32", make(Opcode::fdiv, Type::f32, none, Rounding::rn), 2},
      {"sqrt.rn.f32", make(Opcode::fsqrt, Type::f32, none, Rounding::rn), 1},
      {"max.f32", make(Opcode::fmax, Type::f32), 2},
      {"add.f64", make(Opcode::fadd, Type::f64, none, Rounding::rn), 2},
      {"fma.rn.f64", make(Opcode::ffma, Type::f64, none, Rounding::rn), 3},
      {"add.rz.f32", make(Opcode::fadd, Type::f32, none, Rounding::rz), 2},
      {"cvt.s64.s32", make(Opcode::cvt, Type::s64, Type::s32), 1},
      {"cvt.u32.u64", make(Opcode::cvt, Type::u32, Type::u64), 1},
      {"cvt.rn.f32.s32", make(Opcode::cvt, Type::f32, Type::s32, Rounding::rn), 1},
      {"cvt.rzi.s32.f32", make(Opcode::cvt, Type::s32, Type::f32, Rounding::rzi), 1},
      {"cvt.rn.f16.f32", make(Opcode::cvt, Type::f16, Type::f32, Rounding::rn), 1},
      {"cvt.f32.f16", make(Opcode::cvt, Type::f32, Type::f16), 1},
      {"fma.rn.f16x2", make(Opcode::ffma, Type::f16x2, none, Rounding::rn), 3},
      {"ex2.approx.f32", make(Opcode::fex2, Type::f32, none, Rounding::approx), 1},
      {"sin.approx.f32", make(Opcode::fsin, Type::f32, none, Rounding::approx), 1},
      {"rcp.approx.f32", make(Opcode::frcp, Type::f32, none, Rounding::approx), 1},
  };
  for (const Case& one : cases) {
    benchmark::RegisterBenchmark((std::string("alu/") + one.name + "/all").c_str(), [one](benchmark::State& state) {
      run(state, one.instruction, one.sources, kAllLanes);
    });
    benchmark::RegisterBenchmark((std::string("alu/") + one.name + "/some").c_str(), [one](benchmark::State& state) {
      run(state, one.instruction, one.sources, 0x00ffff7eu);
    });
  }
}

[[maybe_unused]] const bool registered = (register_all(), true);

}  // namespace
}  // namespace heddle
