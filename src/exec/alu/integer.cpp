// Integer sums, differences, quotients, extrema and absolute values, packed 16-bit forms included.
//
// All arithmetic is done in unsigned types, where it wraps as the machine's does. Division by zero does not trap:
// quotient and remainder then have all bits set, which is what the machine's division routines leave.
#include <limits>

#include "exec/alu/families.h"
#include "exec/alu/select_type.h"

namespace heddle::exec {
namespace {

using isa::Opcode;
using isa::Type;

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(Modular<T>(a) + Modular<T>(b));
  }
};
struct Subtract {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(Modular<T>(a) - Modular<T>(b));
  }
};
struct Minimum {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? a : b;
  }
};
struct Maximum {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
struct Negate {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(Modular<T>{0} - Modular<T>(a));
  }
};
struct Absolute {
  template <class T>
  T operator()(T a) const {
    return a < T{0} ? Negate{}(a) : a;
  }
};
struct AbsoluteDifference {
  template <class T>
  T operator()(T a, T b, T c) const {
    const Modular<T> difference = a < b ? Modular<T>(b) - Modular<T>(a) : Modular<T>(a) - Modular<T>(b);
    return static_cast<T>(Modular<T>(c) + difference);
  }
};
struct Quotient {
  template <class T>
  T operator()(T a, T b) const {
    if (b == 0) {
      return static_cast<T>(~T{0});
    }
    if constexpr (std::is_signed_v<T>) {
      if (b == T{-1}) {
        return Negate{}(a);
      }
    }
    return static_cast<T>(a / b);
  }
};
struct Remainder {
  template <class T>
  T operator()(T a, T b) const {
    if (b == 0) {
      return static_cast<T>(~T{0});
    }
    if constexpr (std::is_signed_v<T>) {
      if (b == T{-1}) {
        return 0;
      }
    }
    return static_cast<T>(a % b);
  }
};

[[nodiscard]] std::int32_t clamp_to_32(std::int64_t value) {
  constexpr std::int64_t low = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t high = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(value < low ? low : value > high ? high : value);
}
struct SaturatingAdd {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const { return clamp_to_32(std::int64_t{a} + b); }
};
struct SaturatingSubtract {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const { return clamp_to_32(std::int64_t{a} - b); }
};

/// Applies Op to both 16-bit halves of a register.
template <class Op, class T>
struct Halves {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    const T low = Op{}(static_cast<T>(a), static_cast<T>(b));
    const T high = Op{}(static_cast<T>(a >> 16), static_cast<T>(b >> 16));
    return (std::uint32_t{static_cast<std::uint16_t>(high)} << 16) | static_cast<std::uint16_t>(low);
  }
};

template <class Op>
AluFunction find_binary(const isa::Instruction& instruction) {
  if (instruction.saturate) {
    return nullptr;
  }
  return with_integer(instruction.type, [&]<class T>() { return bind_binary<Op, T, T, T>(instruction); });
}

template <class Op>
AluFunction find_packable(const isa::Instruction& instruction) {
  using U = std::uint32_t;
  switch (instruction.type) {
    case Type::u16x2:
      return bind_binary<Halves<Op, std::uint16_t>, U, U, U>(instruction);
    case Type::s16x2:
      return bind_binary<Halves<Op, std::int16_t>, U, U, U>(instruction);
    default:
      return find_binary<Op>(instruction);
  }
}

}  // namespace

AluFunction find_integer(const isa::Instruction& instruction) {
  using S = std::int32_t;
  switch (instruction.op) {
    case Opcode::iadd:
      if (instruction.saturate) {
        return instruction.type == Type::s32 ? bind_binary<SaturatingAdd, S, S, S>(instruction) : nullptr;
      }
      return find_packable<Add>(instruction);
    case Opcode::isub:
      if (instruction.saturate) {
        return instruction.type == Type::s32 ? bind_binary<SaturatingSubtract, S, S, S>(instruction) : nullptr;
      }
      return find_packable<Subtract>(instruction);
    case Opcode::imin:
      return find_packable<Minimum>(instruction);
    case Opcode::imax:
      return find_packable<Maximum>(instruction);
    case Opcode::idiv:
      return find_binary<Quotient>(instruction);
    case Opcode::irem:
      return find_binary<Remainder>(instruction);
    case Opcode::ineg:
      return with_integer(instruction.type, [&]<class T>() { return bind_unary<Negate, T, T>(instruction); });
    case Opcode::iabs:
      return with_integer(instruction.type, [&]<class T>() { return bind_unary<Absolute, T, T>(instruction); });
    case Opcode::isad:
      return with_integer(instruction.type,
                          [&]<class T>() { return bind_ternary<AbsoluteDifference, T, T, T, T>(instruction); });
    default:
      return nullptr;
  }
}

}  // namespace heddle::exec
