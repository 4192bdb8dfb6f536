// Narrows 64-bit integer arithmetic of which only the low half is ever used.
//
// Compilers for 64-bit PTX compute addresses of shared and local memory in 64 bits, although these spaces are addressed
// with 32. Sums, products and bitwise operations give the same low half in 32 bits, so a whole web of such values can
// be narrowed if nothing outside it needs the high half. This saves a register for each, as real assemblers do.
#include <numeric>

#include "compile/passes.h"

namespace heddle::compile {
namespace {

using isa::Opcode;
using isa::Operand;
using isa::Type;

bool is_integer(Type type, unsigned bytes) {
  return isa::size_of(type) == bytes && !isa::is_float(type) && type != Type::pred;
}
bool is_pair(const Operand& o) { return o.kind == Operand::Kind::gpr_pair; }

/// The low half of the result depends on the low halves of the sources alone.
bool is_low_arithmetic(const isa::Instruction& i) {
  if (!is_integer(i.type, 8) || !is_pair(i.dst[0]) || i.saturate || counts_from_frame_end(i)) return false;
  switch (i.op) {
    case Opcode::mov:
      return i.src[0].wide() &&
             !(i.src[0].kind == Operand::Kind::immediate_wide && i.src[0].index != 0);  // no code address
    case Opcode::imul:
    case Opcode::imad:
      return i.part == isa::Part::lo;
    case Opcode::iadd:
    case Opcode::isub:
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_:
    case Opcode::not_:
    case Opcode::shl:
      return true;
    default:
      return false;
  }
}

/// A 64-bit result of 32-bit sources.
bool widens(const isa::Instruction& i) {
  if (!is_pair(i.dst[0]) || i.saturate) return false;
  if (i.op == Opcode::cvt)
    return is_integer(i.type, 8) && !isa::is_float(i.source_type) && isa::size_of(i.source_type) <= 4 &&
           !i.src[0].wide();
  return (i.op == Opcode::imul || i.op == Opcode::imad) && i.part == isa::Part::wide && is_integer(i.type, 4);
}

/// A narrow integer from the low half of a 64-bit one.
bool truncates(const isa::Instruction& i) {
  return i.op == Opcode::cvt && is_pair(i.src[0]) && is_integer(i.source_type, 8) && !isa::is_float(i.type) &&
         isa::size_of(i.type) <= 4 && i.type != Type::pred && !i.saturate && i.dst[0].kind == Operand::Kind::gpr;
}

bool is_narrow_address(const isa::Instruction& i) {
  const bool accesses = i.op == Opcode::ld || i.op == Opcode::st || i.op == Opcode::atom || i.op == Opcode::red;
  return accesses && (i.space == isa::Space::shared || i.space == isa::Space::local);
}

Type half(Type type) { return type == Type::s64 ? Type::s32 : type == Type::u64 ? Type::u32 : Type::b32; }

class Narrowing {
 public:
  explicit Narrowing(MachineFunction& f) : f_(f), web_(f.registers.size()), full_(f.registers.size(), false) {
    std::iota(web_.begin(), web_.end(), 0u);
  }

  void run() {
    for (const Block& block : f_.blocks) {
      for (const isa::Instruction& i : block.code) classify(i);
    }
    std::vector<bool> narrow(f_.registers.size(), false);
    for (std::uint32_t r = 0; r < narrow.size(); ++r)
      narrow[r] = f_.registers[r] == RegisterClass::pair && !full_[find(r)];
    for (Block& block : f_.blocks) {
      for (isa::Instruction& i : block.code) rewrite(i, narrow);
    }
    for (std::uint32_t r = 0; r < narrow.size(); ++r) {
      if (narrow[r]) f_.registers[r] = RegisterClass::gpr;
    }
  }

 private:
  std::uint32_t find(std::uint32_t r) {
    while (web_[r] != r) r = web_[r] = web_[web_[r]];
    return r;
  }
  void tie(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    full_[b] = full_[a] || full_[b];
    web_[a] = b;
  }

  void classify(const isa::Instruction& i) {
    if (is_low_arithmetic(i) || widens(i)) {
      for (const Operand& s : i.src) {
        if (is_pair(s)) tie(s.index, i.dst[0].index);
      }
      return;
    }
    for (const Operand& d : i.dst) {
      if (is_pair(d)) full_[find(d.index)] = true;
    }
    if (truncates(i)) return;
    for (std::size_t s = is_narrow_address(i) ? 1 : 0; s < i.src.size(); ++s) {
      if (is_pair(i.src[s])) full_[find(i.src[s].index)] = true;
    }
  }

  static void rewrite(isa::Instruction& i, const std::vector<bool>& narrow) {
    const auto is_narrowed = [&](const Operand& o) { return is_pair(o) && narrow[o.index]; };
    if (is_narrowed(i.dst[0])) {
      if (widens(i) && i.op == Opcode::cvt) {
        i.type = isa::is_signed(i.source_type) ? Type::s32 : Type::u32;
        if (isa::size_of(i.source_type) == 4) make_move(i);
      } else if (widens(i)) {
        i.part = isa::Part::lo;
      } else {
        i.type = half(i.type);
      }
      for (Operand& s : i.src) {
        if (s.kind == Operand::Kind::immediate_wide) s = immediate_operand(s.value, false);
        if (s.kind == Operand::Kind::constant_wide) s.kind = Operand::Kind::constant;
      }
      if (i.op == Opcode::iadd) drop_zero(i);
    } else if (truncates(i) && is_narrowed(i.src[0])) {
      i.source_type = Type::u32;
      if (isa::size_of(i.type) == 4) make_move(i);
    }
    for (Operand& d : i.dst) {
      if (is_narrowed(d)) d.kind = Operand::Kind::gpr;
    }
    for (Operand& s : i.src) {
      if (is_narrowed(s)) s.kind = Operand::Kind::gpr;
    }
  }

  static void make_move(isa::Instruction& i) {
    i.op = Opcode::mov;
    i.type = Type::b32;
    i.source_type = Type::none;
    i.rounding = isa::Rounding::none;
  }
  /// The address of the first variable is 0.
  static void drop_zero(isa::Instruction& i) {
    for (std::size_t s = 0; s < 2; ++s) {
      if (i.src[s].kind != Operand::Kind::immediate || i.src[s].value != 0) continue;
      i.src[0] = i.src[1 - s];
      i.src[1] = {};
      return make_move(i);
    }
  }

  MachineFunction& f_;
  std::vector<std::uint32_t> web_;  ///< union-find: values that are narrow together or not at all
  std::vector<bool> full_;          ///< by representative: something needs the high half
};

}  // namespace

void narrow_addresses(MachineFunction& function) { Narrowing(function).run(); }

}  // namespace heddle::compile
