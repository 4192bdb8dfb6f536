// Lowering of warp-wide instructions and barriers (PTX ISA, "Parallel Synchronization and Communication").
#include "compile/lower.h"

namespace heddle::compile {

using isa::Atomic;
using isa::Opcode;
using isa::Part;
using isa::Type;
using Kind = ptx::Operand::Kind;

const Lowerer::Table& Lowerer::warp_table() {
  static const Table table = {
      {"shfl", &Lowerer::lower_shfl},
      {"vote", &Lowerer::lower_vote},
      {"match", &Lowerer::lower_match},
      {"redux", &Lowerer::lower_redux},
      {"activemask", &Lowerer::lower_activemask},
      {"elect", &Lowerer::lower_elect},
      {"bar", &Lowerer::lower_bar},
      {"barrier", &Lowerer::lower_bar},
  };
  return table;
}

void Lowerer::lower_shfl(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  const bool sync = m.take("sync");
  isa::Instruction i = make(Opcode::shfl, p);
  i.part = m.take_from<Part>({{"up", Part::up}, {"down", Part::down}, {"bfly", Part::bfly}, {"idx", Part::idx}})
               .value_or(Part::none);
  if (i.part == Part::none) return unsupported(p, "shfl needs .up, .down, .bfly or .idx");
  i.type = m.type();
  m.finish();
  const std::size_t count = sync ? 5 : 4;
  if (!expect_operands(p, count, count)) return;
  const ptx::Operand& to = p.operands[0];
  if (to.kind == Kind::pair) {
    i.dst[0] = destination(to.elements[0], Type::b32);
    i.dst[1] = destination(to.elements[1], Type::pred);
  } else {
    i.dst[0] = destination(to, Type::b32);
  }
  for (std::size_t s = 0; s < 3; ++s) i.src[s] = source(p.operands[s + 1], Type::b32);
  if (sync) i.src[3] = source(p.operands[4], Type::b32);
  emit(i);
}

void Lowerer::lower_vote(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  const bool sync = m.take("sync");
  isa::Instruction i = make(Opcode::vote, p);
  i.part = m.take_from<Part>({{"all", Part::all}, {"any", Part::any}, {"uni", Part::uni}, {"ballot", Part::ballot}})
               .value_or(Part::none);
  if (i.part == Part::none) return unsupported(p, "vote needs .all, .any, .uni or .ballot");
  i.type = m.type();
  m.finish();
  const std::size_t count = sync ? 3 : 2;
  if (!expect_operands(p, count, count)) return;
  i.dst[0] = destination(p.operands[0], i.part == Part::ballot ? Type::b32 : Type::pred);
  i.src[0] = predicate_source(p.operands[1]);
  if (sync) i.src[1] = source(p.operands[2], Type::b32);
  emit(i);
}

void Lowerer::lower_match(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(Opcode::match, p);
  i.part = m.take_from<Part>({{"all", Part::all}, {"any", Part::any}}).value_or(Part::none);
  m.take("sync");
  i.type = m.type();
  m.finish();
  if (i.part == Part::none) return unsupported(p, "match needs .any or .all");
  if (!expect_operands(p, 3, 3)) return;
  const ptx::Operand& to = p.operands[0];
  i.dst[0] = destination(to.kind == Kind::pair ? to.elements[0] : to, Type::b32);
  if (to.kind == Kind::pair) i.dst[1] = destination(to.elements[1], Type::pred);
  i.src[0] = source(p.operands[1], i.type);
  i.src[1] = source(p.operands[2], Type::b32);
  emit(i);
}

void Lowerer::lower_redux(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(Opcode::redux, p);
  m.take("sync");
  i.atomic = m.take_from<Atomic>({{"add", Atomic::add},
                                  {"min", Atomic::min},
                                  {"max", Atomic::max},
                                  {"and", Atomic::and_},
                                  {"or", Atomic::or_},
                                  {"xor", Atomic::xor_}})
                 .value_or(Atomic::none);
  if (i.atomic == Atomic::none) return unsupported(p, "redux needs an operation such as .add");
  i.type = m.type();
  m.finish();
  if (isa::is_float(i.type)) return unsupported(p, "redux works on 32-bit integers");
  if (!expect_operands(p, 3, 3)) return;
  i.dst[0] = destination(p.operands[0], i.type);
  i.src[0] = source(p.operands[1], i.type);
  i.src[1] = source(p.operands[2], Type::b32);
  emit(i);
}

void Lowerer::lower_activemask(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(Opcode::activemask, p);
  i.type = m.type();
  m.finish();
  emit_simple(p, i, 0);
}

void Lowerer::lower_elect(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(Opcode::elect, p);
  m.take("sync");
  m.finish();
  i.type = Type::b32;
  if (!expect_operands(p, 2, 2)) return;
  const ptx::Operand& to = p.operands[0];
  if (to.kind != Kind::pair) return error(to.place, "elect yields d|p");
  i.dst[0] = destination(to.elements[0], Type::b32);
  i.dst[1] = destination(to.elements[1], Type::pred);
  i.src[0] = source(p.operands[1], Type::b32);
  emit(i);
}

void Lowerer::lower_bar(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  if (p.opcode == "bar" && m.take("warp")) {
    isa::Instruction i = make(Opcode::barwarp, p);
    m.take("sync");
    m.finish();
    if (!expect_operands(p, 1, 1)) return;
    i.src[0] = source(p.operands[0], Type::b32);
    return emit(i);
  }
  if (m.has("cluster")) return unsupported(p, "clusters are not supported");
  m.take("cta");
  const bool aligned = m.take("aligned") || p.opcode == "bar";
  isa::Instruction i = make(Opcode::bar, p);
  i.uniform = aligned;
  if (m.take("red")) {
    i.part = m.take_from<Part>({{"popc", Part::red_popc}, {"and", Part::red_and}, {"or", Part::red_or}})
                 .value_or(Part::none);
    if (i.part == Part::none) return unsupported(p, "bar.red needs .popc, .and or .or");
    i.type = m.type();
    m.finish();
    if (!expect_operands(p, 3, 4)) return;
    i.dst[0] = destination(p.operands[0], i.part == Part::red_popc ? Type::u32 : Type::pred);
    i.src[0] = source(p.operands[1], Type::u32);
    if (p.operands.size() == 4) i.src[1] = source(p.operands[2], Type::u32);
    i.src[2] = predicate_source(p.operands.back());
    return emit(i);
  }
  if (m.take("arrive")) {
    i.part = Part::arrive;
    m.finish();
    if (!expect_operands(p, 2, 2)) return;
  } else {
    if (!m.take("sync") && p.opcode == "barrier") return unsupported(p, "barrier needs .sync, .arrive or .red");
    i.part = Part::sync;
    m.finish();
    if (!expect_operands(p, p.modifiers.empty() ? 0 : 1, 2)) return;
  }
  i.src[0] = p.operands.empty() ? immediate_operand(0, false) : source(p.operands[0], Type::u32);
  if (p.operands.size() == 2) i.src[1] = source(p.operands[1], Type::u32);
  emit(i);
}

}  // namespace heddle::compile
