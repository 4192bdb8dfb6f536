// Lowering of loads, stores, atomics, fences and asynchronous copies (PTX ISA, "Data Movement", "Parallel
// Synchronization").
#include <fmt/format.h>

#include "compile/lower.h"

namespace heddle::compile {

using isa::Atomic;
using isa::CacheOp;
using isa::Opcode;
using isa::Space;
using isa::Type;
using Kind = ptx::Operand::Kind;

const Lowerer::Table& Lowerer::memory_table() {
  static const Table table = {
      {"ld", &Lowerer::lower_ld},
      {"ldu", &Lowerer::lower_ld},
      {"st", &Lowerer::lower_st},
      {"atom", &Lowerer::lower_atom},
      {"red", &Lowerer::lower_atom},
      {"prefetch", &Lowerer::lower_prefetch},
      {"prefetchu", &Lowerer::lower_prefetch},
      {"membar", &Lowerer::lower_fence},
      {"fence", &Lowerer::lower_fence},
      {"cp", &Lowerer::lower_cp_async},
      {"tex", &Lowerer::lower_tex},
  };
  return table;
}

namespace {

/// Ordering and hint modifiers that every kind of access may carry. Orderings stronger than weak are honoured by the
/// memory model (accesses of a warp are performed in program order); they keep the compiler from reordering. Returns
/// whether the access is a release: as ptxas does, a fence goes before it.
bool take_access_modifiers(Modifiers& m, isa::Instruction& i) {
  m.take("weak");
  const bool releases = m.take("release") || m.take("acq_rel");
  if (releases || m.take("relaxed") || m.take("acquire") || m.take("volatile") || m.take("mmio")) {
    i.is_volatile = true;
  }
  i.scope = m.scope();
  i.cache = m.take_from<CacheOp>({{"ca", CacheOp::ca},
                                  {"cg", CacheOp::cg},
                                  {"cs", CacheOp::cs},
                                  {"lu", CacheOp::lu},
                                  {"cv", CacheOp::cv},
                                  {"wb", CacheOp::wb},
                                  {"wt", CacheOp::wt}})
                .value_or(CacheOp::none);
  while (m.take_prefix("L1::") || m.take_prefix("L2::")) {
  }
  return releases;
}

}  // namespace

/// The fence before an access that is a release.
void Lowerer::emit_release(const ptx::Instruction& p, const isa::Instruction& access) {
  if (access.space == Space::shared) return;
  isa::Instruction fence = make(Opcode::fence, p);
  fence.scope = access.scope == isa::Scope::none ? isa::Scope::gpu : access.scope;
  emit(fence);
}

void Lowerer::lower_ld(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(Opcode::ld, p);
  i.non_coherent = m.take("nc");
  (void)take_access_modifiers(m, i);
  i.space = m.space().value_or(Space::generic);
  if (m.take("unified")) i.non_coherent = true;
  i.vector = static_cast<std::uint8_t>(m.vector());
  i.type = m.type();
  m.finish();
  if (!expect_operands(p, 2, 3) || i.type == Type::none) return;
  const ptx::Operand& to = p.operands[0];
  if ((to.kind == Kind::vector ? to.elements.size() : 1) != i.vector) {
    return error(to.place, fmt::format("'{}' loads {} values", p.mnemonic(), i.vector));
  }
  for (unsigned e = 0; e < i.vector; ++e) i.dst[e] = destination(to.kind == Kind::vector ? to.elements[e] : to, i.type);
  if (i.space == Space::param) return load_parameter(p, i);
  address(p.operands[1], i);
  emit(i);
}

void Lowerer::lower_st(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(Opcode::st, p);
  const bool releases = take_access_modifiers(m, i);
  i.space = m.space().value_or(Space::generic);
  i.vector = static_cast<std::uint8_t>(m.vector());
  i.type = m.type();
  m.finish();
  if (!expect_operands(p, 2, 3) || i.type == Type::none) return;
  const ptx::Operand& from = p.operands[1];
  if ((from.kind == Kind::vector ? from.elements.size() : 1) != i.vector) {
    return error(from.place, fmt::format("'{}' stores {} values", p.mnemonic(), i.vector));
  }
  if (i.space == Space::constant) return unsupported(p, "constant memory cannot be stored to");
  for (unsigned e = 0; e < i.vector; ++e)
    i.src[e + 1] = source(from.kind == Kind::vector ? from.elements[e] : from, i.type);
  if (i.space == Space::param) return store_parameter(p, i);
  address(p.operands[0], i);
  if (releases) emit_release(p, i);
  emit(i);
}

void Lowerer::lower_atom(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  const bool is_red = p.opcode == "red";
  if (is_red && m.has("async")) return unsupported(p, "asynchronous reductions are not supported");
  isa::Instruction i = make(is_red ? Opcode::red : Opcode::atom, p);
  i.space = m.space().value_or(Space::generic);
  const auto operation = m.take_from<Atomic>({{"add", Atomic::add},
                                              {"min", Atomic::min},
                                              {"max", Atomic::max},
                                              {"inc", Atomic::inc},
                                              {"dec", Atomic::dec},
                                              {"exch", Atomic::exch},
                                              {"cas", Atomic::cas},
                                              {"and", Atomic::and_},
                                              {"or", Atomic::or_},
                                              {"xor", Atomic::xor_}});
  const bool releases = take_access_modifiers(m, i);
  m.take("noftz");
  if (!operation) return unsupported(p, "an atomic operation such as .add is missing");
  i.atomic = *operation;
  i.type = m.type();
  m.finish();
  const std::size_t values = i.atomic == Atomic::cas ? 2 : 1;
  const std::size_t first = is_red ? 0 : 1;
  if (!expect_operands(p, first + 1 + values, first + 2 + values) || i.type == Type::none) return;
  if (i.space != Space::generic && i.space != Space::global && i.space != Space::shared) {
    return unsupported(p, "atomics work on global and shared memory only");
  }
  if (!is_red) {
    if (p.operands[0].kind == Kind::sink) {
      i.op = Opcode::red;
    } else {
      i.dst[0] = destination(p.operands[0], i.type);
    }
  }
  address(p.operands[first], i);
  for (std::size_t v = 0; v < values; ++v) i.src[1 + v] = source(p.operands[first + 1 + v], i.type);
  if (releases) emit_release(p, i);
  emit(i);
}

void Lowerer::lower_prefetch(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(Opcode::prefetch, p);
  i.space = m.space().value_or(Space::generic);
  if (m.take("tensormap")) return unsupported(p, "tensor maps are not supported");
  i.cache = m.take("L1") ? CacheOp::ca : m.take("L2") ? CacheOp::cg : CacheOp::none;
  while (m.take_prefix("L2::") || m.take_prefix("L1::")) i.cache = CacheOp::cg;
  m.finish();
  if (!expect_operands(p, 1, 1)) return;
  address(p.operands[0], i);
  emit(i);
}

void Lowerer::lower_fence(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  isa::Instruction i = make(Opcode::fence, p);
  if (m.take("proxy")) {
    // Proxies (async, tensormap, alias) are not modelled: all accesses go one way, so ordering them is a plain fence.
    while (m.take("alias") || m.take("async") || m.take_prefix("async") || m.take("tensormap") ||
           m.take_prefix("tensormap") || m.take("global") || m.take("shared::cta") || m.take("shared::cluster")) {
    }
  }
  m.take("sc");
  m.take("acq_rel");
  m.take("acquire");
  m.take("release");
  m.take_prefix("op_restrict");
  m.take_prefix("mbarrier_init");
  i.scope = m.scope();
  if (i.scope == isa::Scope::none) i.scope = isa::Scope::gpu;
  m.finish();
  emit(i);
}

/// Word by word while they are within `size` bytes; the rest is zero.
void Lowerer::load_up_to(const isa::Instruction& load, const isa::Operand& size) {
  for (unsigned e = 0; e < load.vector; ++e) {
    isa::Instruction clear = load;
    clear.op = Opcode::mov;
    clear.vector = 1;
    clear.guard = {};
    clear.offset = 0;
    clear.dst = {load.dst[e]};
    clear.src = {immediate_operand(0, false)};
    emit(clear);
    isa::Instruction compare = clear;
    compare.op = Opcode::setp;
    compare.compare = isa::Compare::gt;
    compare.type = Type::pred;
    compare.source_type = Type::u32;
    compare.dst = {temporary(Type::pred)};
    compare.src = {size, immediate_operand(4 * e, false)};
    if (load.guard.exists()) {
      compare.logic = isa::Logic::and_;
      compare.src[2] = register_operand(RegisterClass::predicate, load.guard.predicate);
      compare.src[2].negated = load.guard.negated;
    }
    emit(compare);
    isa::Instruction word = load;
    word.vector = 1;
    word.guard = {compare.dst[0].index, false};
    word.offset += 4 * e;
    word.dst = {load.dst[e]};
    emit(word);
  }
}

void Lowerer::lower_cp_async(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  if (!m.take("async") || m.has("bulk") || m.has("mbarrier")) {
    return unsupported(p, "bulk and tensor copies are not supported");
  }
  // A copy here happens when it issues, so groups are always complete.
  if (m.take("commit_group") || m.take("wait_group") || m.take("wait_all")) return m.finish();
  isa::Instruction load = make(Opcode::ld, p);
  (void)take_access_modifiers(m, load);
  load.space = Space::global;
  if (!m.take("shared") && !m.take("shared::cta") && !m.take("shared::cluster"))
    unsupported(p, "the destination must be shared memory");
  if (!m.take("global")) unsupported(p, "the source must be global memory");
  m.finish();
  if (!expect_operands(p, 3, 4)) return;
  const std::uint64_t bytes = p.operands[2].bits;
  if (p.operands[2].kind != Kind::integer || (bytes != 4 && bytes != 8 && bytes != 16)) {
    return error(p.operands[2].place, "a copy is 4, 8 or 16 bytes long");
  }
  load.type = Type::b32;
  load.vector = static_cast<std::uint8_t>(bytes / 4);
  isa::Instruction store = load;
  store.op = Opcode::st;
  store.space = Space::shared;
  store.cache = CacheOp::none;
  for (unsigned e = 0; e < load.vector; ++e) {
    load.dst[e] = temporary(Type::b32);
    store.src[e + 1] = load.dst[e];
  }
  address(p.operands[1], load);
  if (p.operands.size() == 4) {
    load_up_to(load, source(p.operands[3], Type::u32));
  } else {
    emit(load);
  }
  address(p.operands[0], store);
  emit(store);
}

void Lowerer::lower_tex(const ptx::Instruction& p) {
  Modifiers m(p, diagnostics_);
  const auto dimensions = m.take_from<unsigned>({{"1d", 1u}, {"2d", 2u}});
  if (!dimensions) return unsupported(p, "only 1D and 2D textures are supported");
  isa::Instruction i = make(Opcode::tex, p);
  i.vector = static_cast<std::uint8_t>(m.vector());
  i.immediate = static_cast<std::uint8_t>(*dimensions);
  i.type = m.type();
  i.source_type = m.type();
  m.finish();
  if (!expect_operands(p, 2, 2) || i.type == Type::none || i.source_type == Type::none) return;
  const ptx::Operand& to = p.operands[0];
  const ptx::Operand& at = p.operands[1];
  if (i.vector != 4 || to.kind != Kind::vector || to.elements.size() != 4)
    return error(to.place, "a texture read yields four values");
  if (at.kind != Kind::address || at.base != ptx::Operand::Base::reg || at.elements.empty()) {
    return error(at.place, "a texture is read as [object, {coordinates}] with the object in a register");
  }
  for (unsigned e = 0; e < 4; ++e) i.dst[e] = destination(to.elements[e], i.type);
  ptx::Operand object = at;
  object.kind = Kind::reg;
  i.src[0] = source(object, Type::b64);
  const ptx::Operand& coordinates = at.elements[0];
  const bool is_vector = coordinates.kind == Kind::vector;
  if ((is_vector ? coordinates.elements.size() : 1) < *dimensions)
    return error(coordinates.place, "coordinates are missing");
  for (unsigned d = 0; d < *dimensions; ++d) {
    i.src[d + 1] = source(is_vector ? coordinates.elements[d] : coordinates, i.source_type);
  }
  emit(i);
}

}  // namespace heddle::compile
