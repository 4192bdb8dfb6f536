// Lowering of integer arithmetic and bit instructions, and of the float forms that share their opcodes
// (PTX ISA, "Integer Arithmetic", "Extended-Precision", "Logic and Shift").
#include <fmt/format.h>

#include "compile/lower.h"

namespace heddle::compile {

using isa::Opcode;
using isa::Part;
using isa::Rounding;
using isa::Type;

const Lowerer::Table& Lowerer::integer_table() {
  static const Table table = {
      {"add", &Lowerer::lower_add_sub},      {"sub", &Lowerer::lower_add_sub},    {"mul", &Lowerer::lower_mul},
      {"mad", &Lowerer::lower_mad},          {"addc", &Lowerer::lower_carry},     {"subc", &Lowerer::lower_carry},
      {"madc", &Lowerer::lower_carry},       {"mul24", &Lowerer::lower_mul24},    {"mad24", &Lowerer::lower_mul24},
      {"div", &Lowerer::lower_div_rem},      {"rem", &Lowerer::lower_div_rem},    {"min", &Lowerer::lower_min_max},
      {"max", &Lowerer::lower_min_max},      {"abs", &Lowerer::lower_abs_neg},    {"neg", &Lowerer::lower_abs_neg},
      {"sad", &Lowerer::lower_sad},          {"dp4a", &Lowerer::lower_dot},       {"dp2a", &Lowerer::lower_dot},
      {"and", &Lowerer::lower_logic},        {"or", &Lowerer::lower_logic},       {"xor", &Lowerer::lower_logic},
      {"not", &Lowerer::lower_logic},        {"cnot", &Lowerer::lower_logic},     {"lop3", &Lowerer::lower_lop3},
      {"shl", &Lowerer::lower_shift},        {"shr", &Lowerer::lower_shift},      {"shf", &Lowerer::lower_funnel},
      {"popc", &Lowerer::lower_count_bits},  {"clz", &Lowerer::lower_count_bits}, {"brev", &Lowerer::lower_count_bits},
      {"bfind", &Lowerer::lower_count_bits}, {"bfe", &Lowerer::lower_bit_field},  {"bfi", &Lowerer::lower_bit_field},
      {"fns", &Lowerer::lower_bit_field},    {"prmt", &Lowerer::lower_prmt},      {"bmsk", &Lowerer::lower_mask},
      {"szext", &Lowerer::lower_mask},
  };
  return table;
}

void Lowerer::lower_add_sub(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  const bool add = p.opcode == "add";
  if (m.has("cc")) return lower_carry(p);
  isa::Instruction i = make(add ? Opcode::iadd : Opcode::isub, p);
  i.rounding = m.rounding().value_or(Rounding::none);
  i.ftz = m.take("ftz");
  i.saturate = m.take("sat");
  i.type = m.type();
  m.finish();
  if (isa::is_float(i.type)) {
    i.op = add ? Opcode::fadd : Opcode::fsub;
    if (i.rounding == Rounding::none) i.rounding = Rounding::rn;
  } else if (i.saturate && i.type != Type::s32) {
    return unsupported(p, ".sat applies to .s32 only");
  }
  emit_simple(p, i, 2);
}

void Lowerer::lower_mul(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(Opcode::imul, p);
  i.rounding = m.rounding().value_or(Rounding::none);
  i.ftz = m.take("ftz");
  i.saturate = m.take("sat");
  i.part = m.take_from<Part>({{"lo", Part::lo}, {"hi", Part::hi}, {"wide", Part::wide}}).value_or(Part::none);
  i.type = m.type();
  m.finish();
  if (isa::is_float(i.type)) {
    i.op = Opcode::fmul;
    if (i.rounding == Rounding::none) i.rounding = Rounding::rn;
    return emit_simple(p, i, 2);
  }
  if (i.part == Part::none) return unsupported(p, "an integer product needs .lo, .hi or .wide");
  if (!expect_operands(p, 3, 3) || i.type == Type::none) return;
  const bool wide = i.part == Part::wide;
  i.dst[0] = destination(p.operands[0], wide && isa::size_of(i.type) == 4 ? Type::b64 : i.type);
  i.src[0] = source(p.operands[1], i.type);
  i.src[1] = source(p.operands[2], i.type);
  emit(i);
}

void Lowerer::lower_mad(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  if (m.has("cc")) return lower_carry(p);
  isa::Instruction i = make(Opcode::imad, p);
  i.rounding = m.rounding().value_or(Rounding::none);
  i.ftz = m.take("ftz");
  i.saturate = m.take("sat");
  i.part = m.take_from<Part>({{"lo", Part::lo}, {"hi", Part::hi}, {"wide", Part::wide}}).value_or(Part::none);
  i.type = m.type();
  m.finish();
  if (isa::is_float(i.type)) {
    i.op = Opcode::ffma;
    if (i.rounding == Rounding::none) i.rounding = Rounding::rn;
    return emit_simple(p, i, 3);
  }
  if (i.part == Part::none) return unsupported(p, "an integer product needs .lo, .hi or .wide");
  if (!expect_operands(p, 4, 4) || i.type == Type::none) return;
  const bool wide = i.part == Part::wide;
  const Type result = wide && isa::size_of(i.type) == 4 ? Type::b64 : i.type;
  i.dst[0] = destination(p.operands[0], result);
  i.src[0] = source(p.operands[1], i.type);
  i.src[1] = source(p.operands[2], i.type);
  i.src[2] = source(p.operands[3], wide && isa::size_of(i.type) == 2 ? Type::b32 : result);
  emit(i);
}

void Lowerer::lower_carry(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  const bool is_mad = p.opcode == "madc" || p.opcode == "mad";
  const bool is_sub = p.opcode == "subc" || p.opcode == "sub";
  isa::Instruction i = make(is_mad ? Opcode::imadc : is_sub ? Opcode::isubc : Opcode::iaddc, p);
  const bool sets_carry = m.take("cc");
  if (is_mad) {
    i.part = m.take_from<Part>({{"lo", Part::lo}, {"hi", Part::hi}}).value_or(Part::none);
    if (i.part == Part::none) unsupported(p, "a product with carry needs .lo or .hi");
  }
  i.type = m.type();
  m.finish();
  const std::size_t sources = is_mad ? 3 : 2;
  if (!expect_operands(p, sources + 1, sources + 1) || i.type == Type::none) return;
  if (carry_ == isa::kNoRegister) carry_ = out_.function.new_register(RegisterClass::predicate);
  i.dst[0] = destination(p.operands[0], i.type);
  if (sets_carry) i.dst[1] = register_operand(RegisterClass::predicate, carry_);
  for (std::size_t s = 0; s < sources; ++s) i.src[s] = source(p.operands[s + 1], i.type);
  if (p.opcode.back() == 'c') i.src[sources] = register_operand(RegisterClass::predicate, carry_);
  emit(i);
}

void Lowerer::lower_mul24(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  const bool mad = p.opcode == "mad24";
  isa::Instruction i = make(mad ? Opcode::imad24 : Opcode::imul24, p);
  i.part = m.take_from<Part>({{"lo", Part::lo}, {"hi", Part::hi}}).value_or(Part::lo);
  i.saturate = m.take("sat");
  i.type = m.type();
  m.finish();
  emit_simple(p, i, mad ? 3 : 2);
}

void Lowerer::lower_div_rem(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  const bool div = p.opcode == "div";
  isa::Instruction i = make(div ? Opcode::idiv : Opcode::irem, p);
  i.rounding = m.rounding().value_or(Rounding::none);
  i.ftz = m.take("ftz");
  i.type = m.type();
  m.finish();
  if (isa::is_float(i.type)) {
    if (!div) return unsupported(p, "there is no float remainder");
    i.op = Opcode::fdiv;
    // `div.f32` without a rounding is the full-range approximation of PTX 1.x.
    if (i.rounding == Rounding::none) i.rounding = i.type == Type::f32 ? Rounding::full : Rounding::rn;
  }
  emit_simple(p, i, 2);
}

void Lowerer::lower_min_max(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  const bool min = p.opcode == "min";
  isa::Instruction i = make(min ? Opcode::imin : Opcode::imax, p);
  i.ftz = m.take("ftz");
  i.nan = m.take("NaN");
  i.relu = m.take("relu");
  i.type = m.type();
  m.finish();
  if (isa::is_float(i.type)) i.op = min ? Opcode::fmin : Opcode::fmax;
  if (i.relu && isa::is_float(i.type)) return unsupported(p, ".relu is for integers here");
  if (i.relu) return unsupported(p, ".relu is not supported");
  emit_simple(p, i, 2);
}

void Lowerer::lower_abs_neg(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  const bool abs = p.opcode == "abs";
  isa::Instruction i = make(abs ? Opcode::iabs : Opcode::ineg, p);
  i.ftz = m.take("ftz");
  i.type = m.type();
  m.finish();
  if (isa::is_float(i.type)) i.op = abs ? Opcode::fabs : Opcode::fneg;
  emit_simple(p, i, 1);
}

void Lowerer::lower_sad(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(Opcode::isad, p);
  i.type = m.type();
  m.finish();
  emit_simple(p, i, 3);
}

void Lowerer::lower_dot(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(p.opcode == "dp4a" ? Opcode::dp4a : Opcode::dp2a, p);
  if (i.op == Opcode::dp2a) i.part = m.take_from<Part>({{"lo", Part::lo}, {"hi", Part::hi}}).value_or(Part::none);
  i.type = m.type();
  i.source_type = m.type();
  m.finish();
  emit_simple(p, i, 3);
}

void Lowerer::lower_logic(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  const Type type = m.type();
  m.finish();
  const bool unary = p.opcode == "not" || p.opcode == "cnot";
  if (type == Type::pred) {
    if (p.opcode == "cnot") return unsupported(p, "cnot has no predicate form");
    if (!expect_operands(p, unary ? 2 : 3, unary ? 2 : 3)) return;
    isa::Instruction i = make(Opcode::plogic, p);
    i.type = Type::pred;
    i.logic = p.opcode == "and"  ? isa::Logic::and_
              : p.opcode == "or" ? isa::Logic::or_
              : unary            ? isa::Logic::not_
                                 : isa::Logic::xor_;
    i.dst[0] = destination(p.operands[0], Type::pred);
    i.src[0] = predicate_source(p.operands[1]);
    if (!unary) i.src[1] = predicate_source(p.operands[2]);
    return emit(i);
  }
  const Opcode op = p.opcode == "and"   ? Opcode::and_
                    : p.opcode == "or"  ? Opcode::or_
                    : p.opcode == "xor" ? Opcode::xor_
                    : p.opcode == "not" ? Opcode::not_
                                        : Opcode::cnot;
  isa::Instruction i = make(op, p);
  i.type = type;
  emit_simple(p, i, unary ? 1 : 2);
}

void Lowerer::lower_lop3(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(Opcode::lop3, p);
  i.type = m.type();
  m.finish();
  if (!expect_operands(p, 5, 5)) return;
  if (p.operands[4].kind != ptx::Operand::Kind::integer || p.operands[4].bits > 255) {
    return error(p.operands[4].place, "lop3's table must be a constant from 0 to 255");
  }
  i.dst[0] = destination(p.operands[0], i.type);
  for (std::size_t s = 0; s < 3; ++s) i.src[s] = source(p.operands[s + 1], i.type);
  i.immediate = static_cast<std::uint8_t>(p.operands[4].bits);
  emit(i);
}

void Lowerer::lower_shift(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(p.opcode == "shl" ? Opcode::shl : Opcode::shr, p);
  i.type = m.type();
  m.finish();
  if (!expect_operands(p, 3, 3) || i.type == Type::none) return;
  i.dst[0] = destination(p.operands[0], i.type);
  i.src[0] = source(p.operands[1], i.type);
  i.src[1] = source(p.operands[2], Type::u32);
  emit(i);
}

void Lowerer::lower_funnel(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  const bool left = m.take("l");
  if (!left && !m.take("r")) return unsupported(p, "shf needs .l or .r");
  isa::Instruction i = make(left ? Opcode::shf_l : Opcode::shf_r, p);
  i.part = m.take_from<Part>({{"wrap", Part::wrap}, {"clamp", Part::clamp}}).value_or(Part::none);
  if (i.part == Part::none) return unsupported(p, "shf needs .wrap or .clamp");
  i.type = m.type();
  m.finish();
  emit_simple(p, i, 3);
}

void Lowerer::lower_count_bits(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  const Opcode op = p.opcode == "popc"   ? Opcode::popc
                    : p.opcode == "clz"  ? Opcode::clz
                    : p.opcode == "brev" ? Opcode::brev
                                         : Opcode::bfind;
  isa::Instruction i = make(op, p);
  if (op == Opcode::bfind && m.take("shiftamt")) i.part = Part::shiftamt;
  i.type = m.type();
  m.finish();
  if (!expect_operands(p, 2, 2) || i.type == Type::none) return;
  i.dst[0] = destination(p.operands[0], op == Opcode::brev ? i.type : Type::u32);
  i.src[0] = source(p.operands[1], i.type);
  emit(i);
}

void Lowerer::lower_bit_field(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  const Opcode op = p.opcode == "bfe" ? Opcode::bfe : p.opcode == "bfi" ? Opcode::bfi : Opcode::fns;
  isa::Instruction i = make(op, p);
  i.type = m.type();
  m.finish();
  const std::size_t values = op == Opcode::bfi ? 2 : 1;
  if (!expect_operands(p, values + 3, values + 3) || i.type == Type::none) return;
  i.dst[0] = destination(p.operands[0], i.type);
  for (std::size_t s = 0; s < values + 2; ++s) i.src[s] = source(p.operands[s + 1], s < values ? i.type : Type::u32);
  emit(i);
}

void Lowerer::lower_prmt(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(Opcode::prmt, p);
  i.part = m.take_from<Part>({{"f4e", Part::f4e},
                              {"b4e", Part::b4e},
                              {"rc8", Part::rc8},
                              {"ecl", Part::ecl},
                              {"ecr", Part::ecr},
                              {"rc16", Part::rc16}})
               .value_or(Part::none);
  i.type = m.type();
  m.finish();
  emit_simple(p, i, 3);
}

void Lowerer::lower_mask(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(p.opcode == "bmsk" ? Opcode::bmsk : Opcode::szext, p);
  i.part = m.take_from<Part>({{"wrap", Part::wrap}, {"clamp", Part::clamp}}).value_or(Part::none);
  if (i.part == Part::none) return unsupported(p, "needs .wrap or .clamp");
  i.type = m.type();
  m.finish();
  emit_simple(p, i, 2);
}

}  // namespace heddle::compile
