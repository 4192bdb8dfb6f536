// Lowering of moves, conversions, comparisons and selections (PTX ISA, "Data Movement and Conversion", "Comparison and
// Selection").
#include <fmt/format.h>

#include "compile/lower.h"

namespace heddle::compile {

using isa::Compare;
using isa::Logic;
using isa::Opcode;
using isa::Rounding;
using isa::Space;
using isa::Type;
using Kind = ptx::Operand::Kind;

const Lowerer::Table& Lowerer::data_table() {
  static const Table table = {
      {"mov", &Lowerer::lower_mov},   {"cvt", &Lowerer::lower_cvt},           {"setp", &Lowerer::lower_setp},
      {"set", &Lowerer::lower_set},   {"selp", &Lowerer::lower_selp},         {"slct", &Lowerer::lower_slct},
      {"cvta", &Lowerer::lower_cvta}, {"isspacep", &Lowerer::lower_isspacep},
  };
  return table;
}

namespace {

Type part_type(Type whole, std::size_t parts) {
  const std::size_t bytes = isa::size_of(whole) / parts;
  return bytes == 4 ? Type::b32 : bytes == 2 ? Type::b16 : Type::b8;
}

std::optional<Compare> take_compare(Modifiers& m) {
  return m.take_from<Compare>({{"eq", Compare::eq},
                               {"ne", Compare::ne},
                               {"lt", Compare::lt},
                               {"le", Compare::le},
                               {"gt", Compare::gt},
                               {"ge", Compare::ge},
                               {"lo", Compare::lo},
                               {"ls", Compare::ls},
                               {"hi", Compare::hi},
                               {"hs", Compare::hs},
                               {"equ", Compare::equ},
                               {"neu", Compare::neu},
                               {"ltu", Compare::ltu},
                               {"leu", Compare::leu},
                               {"gtu", Compare::gtu},
                               {"geu", Compare::geu},
                               {"num", Compare::num},
                               {"nan", Compare::nan}});
}

Logic take_logic(Modifiers& m) {
  return m.take_from<Logic>({{"and", Logic::and_}, {"or", Logic::or_}, {"xor", Logic::xor_}}).value_or(Logic::none);
}

}  // namespace

void Lowerer::lower_mov(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  const unsigned vector = m.vector();
  const Type type = m.type();
  m.finish();
  if (!expect_operands(p, 2, 2) || type == Type::none) return;
  const ptx::Operand& to = p.operands[0];
  const ptx::Operand& from = p.operands[1];
  if (vector > 1) return unsupported(p, "moving whole vector registers is not supported; move their components");
  if (to.kind == Kind::vector || from.kind == Kind::vector) {
    const bool packs = from.kind == Kind::vector;
    const ptx::Operand& parts = packs ? from : to;
    const std::size_t count = parts.elements.size();
    if ((to.kind == Kind::vector && packs) || (count != 2 && count != 4) || isa::size_of(type) / count < 1) {
      return error(p.place, "a mov packs or unpacks 2 or 4 equal parts");
    }
    isa::Instruction i = make(packs ? Opcode::pack : Opcode::unpack, p);
    i.type = type;
    i.vector = static_cast<std::uint8_t>(count);
    const Type part = part_type(type, count);
    if (packs) {
      i.dst[0] = destination(to, type);
      for (std::size_t e = 0; e < count; ++e) i.src[e] = source(parts.elements[e], part);
    } else {
      i.src[0] = source(from, type);
      for (std::size_t e = 0; e < count; ++e) i.dst[e] = destination(parts.elements[e], part);
    }
    return emit(i);
  }
  if (type == Type::pred) {
    isa::Instruction i = make(Opcode::plogic, p);
    i.type = Type::pred;
    i.logic = Logic::mov;
    i.dst[0] = destination(to, Type::pred);
    i.src[0] = predicate_source(from);
    return emit(i);
  }
  isa::Instruction i = make(Opcode::mov, p);
  i.type = type;
  i.dst[0] = destination(to, type);
  i.src[0] = source(from, type);
  // Reading a special register needs no move of its own.
  if (from.kind == Kind::special && !p.guard && !out_.code.empty() && out_.code.back().op == Opcode::s2r &&
      i.src[0].is_register() && out_.code.back().dst[0].index == i.src[0].index) {
    out_.code.back().dst[0] = i.dst[0];
    return;
  }
  emit(i);
}

void Lowerer::lower_cvt(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  if (m.has("pack")) return unsupported(p, "cvt.pack is not supported");
  isa::Instruction i = make(Opcode::cvt, p);
  i.rounding = m.rounding().value_or(Rounding::none);
  i.relu = m.take("relu");
  i.ftz = m.take("ftz");
  i.saturate = m.take("sat");
  i.saturate_finite = m.take("satfinite");
  i.type = m.type();
  i.source_type = m.type();
  m.finish();
  if (i.type == Type::none || i.source_type == Type::none) return;
  const bool to_half = i.type == Type::f16 || i.type == Type::bf16 || i.type == Type::f16x2 || i.type == Type::bf16x2;
  if (i.saturate_finite && !(to_half && i.source_type == Type::f32))
    return unsupported(p, ".satfinite is for conversions from f32 to f16, bf16, f16x2 and bf16x2");
  if (i.type == Type::f16x2 || i.type == Type::bf16x2) {
    if (!expect_operands(p, 3, 3)) return;
    i.op = Opcode::cvt_pack;
    i.src[1] = source(p.operands[2], i.source_type);
  } else if (!expect_operands(p, 2, 2)) {
    return;
  }
  i.dst[0] = destination(p.operands[0], i.type);
  i.src[0] = source(p.operands[1], i.source_type);
  emit(i);
}

void Lowerer::lower_setp(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(Opcode::setp, p);
  const auto compare = take_compare(m);
  if (!compare) return unsupported(p, "a comparison such as .lt is missing");
  i.compare = *compare;
  i.logic = take_logic(m);
  i.ftz = m.take("ftz");
  i.type = Type::pred;
  i.source_type = m.type();
  m.finish();
  const std::size_t count = i.logic == Logic::none ? 3 : 4;
  if (!expect_operands(p, count, count) || i.source_type == Type::none) return;
  const ptx::Operand& to = p.operands[0];
  if (to.kind == Kind::pair) {
    i.dst[0] = destination(to.elements[0], Type::pred);
    i.dst[1] = destination(to.elements[1], Type::pred);
  } else {
    i.dst[0] = destination(to, Type::pred);
  }
  i.src[0] = source(p.operands[1], i.source_type);
  i.src[1] = source(p.operands[2], i.source_type);
  if (i.logic != Logic::none) i.src[2] = predicate_source(p.operands[3]);
  emit(i);
}

void Lowerer::lower_set(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(Opcode::set, p);
  const auto compare = take_compare(m);
  if (!compare) return unsupported(p, "a comparison such as .lt is missing");
  i.compare = *compare;
  i.logic = take_logic(m);
  i.ftz = m.take("ftz");
  i.type = m.type();
  i.source_type = m.type();
  m.finish();
  const std::size_t count = i.logic == Logic::none ? 3 : 4;
  if (!expect_operands(p, count, count) || i.type == Type::none || i.source_type == Type::none) return;
  i.dst[0] = destination(p.operands[0], i.type);
  i.src[0] = source(p.operands[1], i.source_type);
  i.src[1] = source(p.operands[2], i.source_type);
  if (i.logic != Logic::none) i.src[2] = predicate_source(p.operands[3]);
  emit(i);
}

void Lowerer::lower_selp(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(Opcode::selp, p);
  i.type = m.type();
  m.finish();
  if (!expect_operands(p, 4, 4) || i.type == Type::none) return;
  i.dst[0] = destination(p.operands[0], i.type);
  i.src[0] = source(p.operands[1], i.type);
  i.src[1] = source(p.operands[2], i.type);
  i.src[2] = predicate_source(p.operands[3]);
  emit(i);
}

void Lowerer::lower_slct(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(Opcode::slct, p);
  i.ftz = m.take("ftz");
  i.type = m.type();
  i.source_type = m.type();
  m.finish();
  if (!expect_operands(p, 4, 4) || i.type == Type::none || i.source_type == Type::none) return;
  i.dst[0] = destination(p.operands[0], i.type);
  i.src[0] = source(p.operands[1], i.type);
  i.src[1] = source(p.operands[2], i.type);
  i.src[2] = source(p.operands[3], i.source_type);
  emit(i);
}

void Lowerer::lower_cvta(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  const bool to = m.take("to");
  const auto space = m.space();
  if (!space) return unsupported(p, "cvta needs a state space");
  const Type type = m.type();
  m.finish();
  if (!expect_operands(p, 2, 2) || type == Type::none) return;
  // Global and constant addresses are generic addresses already.
  const bool identity = *space == Space::global || *space == Space::constant;
  isa::Instruction i = make(identity ? Opcode::mov : to ? Opcode::cvta_to : Opcode::cvta, p);
  i.type = type;
  i.space = *space;
  i.dst[0] = destination(p.operands[0], type);
  i.src[0] = source(p.operands[1], type);
  emit(i);
}

void Lowerer::lower_isspacep(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  const auto space = m.space();
  if (!space) return unsupported(p, "isspacep needs a state space");
  m.finish();
  if (!expect_operands(p, 2, 2)) return;
  isa::Instruction i = make(Opcode::isspacep, p);
  i.type = Type::pred;
  i.space = *space;
  i.dst[0] = destination(p.operands[0], Type::pred);
  i.src[0] = source(p.operands[1], Type::b64);
  emit(i);
}

}  // namespace heddle::compile
