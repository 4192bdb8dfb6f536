// selp and slct: one of two values, by a predicate or by the sign of a third.
#include "exec/alu/families.h"
#include "exec/alu/float_bits.h"
#include "exec/alu/select_type.h"

namespace heddle::exec {
namespace {

using isa::Opcode;
using isa::Type;

template <class T>
void select_by_predicate(const AluArguments& arguments, const isa::Instruction&) {
  const auto* a = source_row<T>(arguments, 0);
  const auto* b = source_row<T>(arguments, 1);
  const Cell<T> chosen = arguments.src_predicate[2];
  write_row<Cell<T>, false>(arguments.dst[0], arguments.active, [a, b, chosen](unsigned lane) {
    const Cell<T> first = to_cell<Cell<T>>(from_cell<T>(a[lane]));
    const Cell<T> second = to_cell<Cell<T>>(from_cell<T>(b[lane]));
    return (chosen & kLaneBit<Cell<T>>[lane]) != 0 ? first : second;
  });
}

struct BySign {
  template <class T>
  T operator()(T a, T b, std::int32_t c) const {
    return c >= 0 ? a : b;
  }
};
/// -0 counts as not negative, NaN as neither.
template <bool Ftz>
struct ByFloatSign {
  template <class T>
  T operator()(T a, T b, float c) const {
    return flush_if<Ftz>(c) >= 0.0f ? a : b;
  }
};

template <class T>
AluFunction find_of(const isa::Instruction& instruction) {
  if (instruction.op == Opcode::selp) {
    return operands_fit<T, T, T>(instruction) ? &select_by_predicate<T> : nullptr;
  }
  switch (instruction.source_type) {
    case Type::s32:
      return bind_ternary<BySign, T, T, T, std::int32_t>(instruction);
    case Type::f32:
      return with_flag(instruction.ftz,
                       [&]<bool Ftz>() { return bind_ternary<ByFloatSign<Ftz>, T, T, T, float>(instruction); });
    default:
      return nullptr;
  }
}

}  // namespace

AluFunction find_select(const isa::Instruction& instruction) {
  const auto find = [&]<class T>() { return find_of<T>(instruction); };
  return isa::is_signed(instruction.type) ? with_integer(instruction.type, find) : with_bits(instruction.type, find);
}

}  // namespace heddle::exec
