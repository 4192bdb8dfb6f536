// Lowering of floating-point instructions that are not shared with integers (PTX ISA, "Floating Point").
#include "compile/lower.h"

namespace heddle::compile {

using isa::Opcode;
using isa::Part;
using isa::Rounding;
using isa::Type;

const Lowerer::Table& Lowerer::float_table() {
  static const Table table = {
      {"fma", &Lowerer::lower_fma},
      {"rcp", &Lowerer::lower_special_function},
      {"sqrt", &Lowerer::lower_special_function},
      {"rsqrt", &Lowerer::lower_special_function},
      {"sin", &Lowerer::lower_special_function},
      {"cos", &Lowerer::lower_special_function},
      {"ex2", &Lowerer::lower_special_function},
      {"lg2", &Lowerer::lower_special_function},
      {"tanh", &Lowerer::lower_special_function},
      {"copysign", &Lowerer::lower_copysign},
      {"testp", &Lowerer::lower_testp},
  };
  return table;
}

void Lowerer::lower_fma(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(Opcode::ffma, p);
  i.rounding = m.rounding().value_or(Rounding::none);
  i.ftz = m.take("ftz");
  i.saturate = m.take("sat");
  i.relu = m.take("relu");
  i.type = m.type();
  m.finish();
  if (i.rounding == Rounding::none) return unsupported(p, "fma needs a rounding: .rn, .rz, .rm or .rp");
  emit_simple(p, i, 3);
}

void Lowerer::lower_special_function(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  const Opcode op = p.opcode == "rcp"     ? Opcode::frcp
                    : p.opcode == "sqrt"  ? Opcode::fsqrt
                    : p.opcode == "rsqrt" ? Opcode::frsqrt
                    : p.opcode == "sin"   ? Opcode::fsin
                    : p.opcode == "cos"   ? Opcode::fcos
                    : p.opcode == "ex2"   ? Opcode::fex2
                    : p.opcode == "lg2"   ? Opcode::flg2
                                          : Opcode::ftanh;
  isa::Instruction i = make(op, p);
  i.rounding = m.rounding().value_or(Rounding::approx);
  i.ftz = m.take("ftz");
  i.type = m.type();
  m.finish();
  emit_simple(p, i, 1);
}

void Lowerer::lower_copysign(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(Opcode::copysign, p);
  i.type = m.type();
  m.finish();
  emit_simple(p, i, 2);
}

void Lowerer::lower_testp(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(Opcode::testp, p);
  i.part = m.take_from<Part>({{"finite", Part::finite},
                              {"infinite", Part::infinite},
                              {"number", Part::number},
                              {"notanumber", Part::notanumber},
                              {"normal", Part::normal},
                              {"subnormal", Part::subnormal}})
               .value_or(Part::none);
  if (i.part == Part::none) return unsupported(p, "testp needs a property such as .finite");
  i.type = m.type();
  m.finish();
  if (!expect_operands(p, 2, 2) || i.type == Type::none) return;
  i.dst[0] = destination(p.operands[0], Type::pred);
  i.src[0] = source(p.operands[1], i.type);
  emit(i);
}

}  // namespace heddle::compile
