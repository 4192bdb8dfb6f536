// From an instruction to a template instance: types as template arguments, and the check that operands have the width
// that the instance will read. An operand of the wrong width is refused here rather than read past its end later.
#pragma once

#include <type_traits>

#include "exec/alu/lanes.h"

namespace heddle::exec {

[[nodiscard]] inline bool operand_fits(const isa::Operand& operand, bool wide) {
  return !operand.exists() || (operand.kind != isa::Operand::Kind::predicate && operand.wide() == wide);
}

/// True when destination 0 and the sources, in order, have the cells of D and S...
template <class D, class... S>
[[nodiscard]] bool operands_fit(const isa::Instruction& instruction) {
  unsigned position = 0;
  const bool sources =
      ((instruction.src[position].exists() && operand_fits(instruction.src[position++], sizeof(Cell<S>) == 8)) && ...);
  return sources && operand_fits(instruction.dst[0], sizeof(Cell<D>) == 8);
}

template <class Op, class D, class A>
[[nodiscard]] AluFunction bind_unary(const isa::Instruction& instruction) {
  return operands_fit<D, A>(instruction) ? &unary<Op, D, A> : nullptr;
}
template <class Op, class D, class A, class B>
[[nodiscard]] AluFunction bind_binary(const isa::Instruction& instruction) {
  return operands_fit<D, A, B>(instruction) ? &binary<Op, D, A, B> : nullptr;
}
template <class Op, class D, class A, class B, class E>
[[nodiscard]] AluFunction bind_ternary(const isa::Instruction& instruction) {
  return operands_fit<D, A, B, E>(instruction) ? &ternary<Op, D, A, B, E> : nullptr;
}

/// Calls `f.operator()<T>()` with the integer type of 16, 32 or 64 bits that `type` names; `b` types are unsigned.
template <class F>
[[nodiscard]] AluFunction with_integer(isa::Type type, F f) {
  switch (type) {
    case isa::Type::b16:
    case isa::Type::u16:
      return f.template operator()<std::uint16_t>();
    case isa::Type::s16:
      return f.template operator()<std::int16_t>();
    case isa::Type::b32:
    case isa::Type::u32:
      return f.template operator()<std::uint32_t>();
    case isa::Type::s32:
      return f.template operator()<std::int32_t>();
    case isa::Type::b64:
    case isa::Type::u64:
      return f.template operator()<std::uint64_t>();
    case isa::Type::s64:
      return f.template operator()<std::int64_t>();
    default:
      return nullptr;
  }
}

/// Likewise for integers of 8 bits too.
template <class F>
[[nodiscard]] AluFunction with_any_integer(isa::Type type, F f) {
  switch (type) {
    case isa::Type::b8:
    case isa::Type::u8:
      return f.template operator()<std::uint8_t>();
    case isa::Type::s8:
      return f.template operator()<std::int8_t>();
    default:
      return with_integer(type, f);
  }
}

/// The unsigned type of the same width, for operations that do not see a sign.
template <class F>
[[nodiscard]] AluFunction with_bits(isa::Type type, F f) {
  switch (isa::size_of(type)) {
    case 2:
      return f.template operator()<std::uint16_t>();
    case 4:
      return f.template operator()<std::uint32_t>();
    case 8:
      return f.template operator()<std::uint64_t>();
    default:
      return nullptr;
  }
}

/// The unsigned type of 32 or 64 bits.
template <class F>
[[nodiscard]] AluFunction with_word(isa::Type type, F f) {
  return isa::size_of(type) == 2 ? nullptr : with_bits(type, f);
}

/// Turns a run-time flag into a template argument.
template <class F>
[[nodiscard]] AluFunction with_flag(bool flag, F f) {
  return flag ? f.template operator()<true>() : f.template operator()<false>();
}

}  // namespace heddle::exec
