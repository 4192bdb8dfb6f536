// Integer products and what builds on them: mul, mad, mul24, mad24, dot products of bytes and half words.
#include "exec/alu/product.h"

#include <limits>

#include "exec/alu/families.h"
#include "exec/alu/select_type.h"

namespace heddle::exec {
namespace {

using isa::Opcode;
using isa::Part;
using isa::Type;

template <class T>
[[nodiscard]] T wrapping_add(T a, T b) {
  return static_cast<T>(Modular<T>(a) + Modular<T>(b));
}

struct MultiplyLow {
  template <class T>
  T operator()(T a, T b) const {
    return multiply_low(a, b);
  }
};
struct MultiplyHigh {
  template <class T>
  T operator()(T a, T b) const {
    return multiply_high(a, b);
  }
};
struct MultiplyWide {
  template <class T>
  Wide<T> operator()(T a, T b) const {
    return multiply_wide(a, b);
  }
};
struct MultiplyAddWide {
  template <class T>
  Wide<T> operator()(T a, T b, Wide<T> c) const {
    return wrapping_add(multiply_wide(a, b), c);
  }
};
template <class Multiply>
struct ThenAdd {
  template <class T>
  T operator()(T a, T b, T c) const {
    return wrapping_add(Multiply{}(a, b), c);
  }
};
/// The sum saturates, not the product.
template <class Multiply>
struct ThenAddSaturating {
  std::int32_t operator()(std::int32_t a, std::int32_t b, std::int32_t c) const {
    constexpr std::int64_t low = std::numeric_limits<std::int32_t>::min();
    constexpr std::int64_t high = std::numeric_limits<std::int32_t>::max();
    const std::int64_t sum = std::int64_t{Multiply{}(a, b)} + c;
    return static_cast<std::int32_t>(sum < low ? low : sum > high ? high : sum);
  }
};

/// The 48-bit product of the low 24 bits of a and b, from bit Shift up.
template <unsigned Shift>
struct Multiply24 {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    return static_cast<std::uint32_t>((std::uint64_t{a & 0xffffffu} * (b & 0xffffffu)) >> Shift);
  }
  std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    return static_cast<std::int32_t>((std::int64_t{extend(a)} * extend(b)) >> Shift);
  }
  static std::int32_t extend(std::int32_t a) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) << 8) >> 8;
  }
};

/// c + the products of the four bytes of a and b.
template <class A, class B>
struct DotBytes {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    std::uint32_t sum = c;
    for (unsigned shift = 0; shift < 32; shift += 8) {
      sum += static_cast<std::uint32_t>(int{static_cast<A>(a >> shift)} * int{static_cast<B>(b >> shift)});
    }
    return sum;
  }
};
/// c + the products of the two half words of a and two bytes of b, from bit First up.
template <class A, class B, unsigned First>
struct DotHalves {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    const int low = int{static_cast<A>(a)} * int{static_cast<B>(b >> First)};
    const int high = int{static_cast<A>(a >> 16)} * int{static_cast<B>(b >> (First + 8))};
    return c + static_cast<std::uint32_t>(low) + static_cast<std::uint32_t>(high);
  }
};

AluFunction find_multiply(const isa::Instruction& instruction) {
  return with_integer(instruction.type, [&]<class T>() -> AluFunction {
    switch (instruction.part) {
      case Part::none:
      case Part::lo:
        return bind_binary<MultiplyLow, T, T, T>(instruction);
      case Part::hi:
        return bind_binary<MultiplyHigh, T, T, T>(instruction);
      case Part::wide:
        if constexpr (sizeof(T) < 8) {
          return bind_binary<MultiplyWide, Wide<T>, T, T>(instruction);
        }
        return nullptr;
      default:
        return nullptr;
    }
  });
}

AluFunction find_multiply_add(const isa::Instruction& instruction) {
  using S = std::int32_t;
  if (instruction.saturate) {
    const bool exists = instruction.type == Type::s32 && instruction.part == Part::hi;
    return exists ? bind_ternary<ThenAddSaturating<MultiplyHigh>, S, S, S, S>(instruction) : nullptr;
  }
  return with_integer(instruction.type, [&]<class T>() -> AluFunction {
    switch (instruction.part) {
      case Part::none:
      case Part::lo:
        return bind_ternary<ThenAdd<MultiplyLow>, T, T, T, T>(instruction);
      case Part::hi:
        return bind_ternary<ThenAdd<MultiplyHigh>, T, T, T, T>(instruction);
      case Part::wide:
        if constexpr (sizeof(T) < 8) {
          return bind_ternary<MultiplyAddWide, Wide<T>, T, T, Wide<T>>(instruction);
        }
        return nullptr;
      default:
        return nullptr;
    }
  });
}

template <class T, unsigned Shift>
AluFunction find_24(const isa::Instruction& instruction) {
  if (instruction.op == Opcode::imul24) {
    return bind_binary<Multiply24<Shift>, T, T, T>(instruction);
  }
  if (instruction.saturate) {
    if constexpr (Shift == 16 && std::is_signed_v<T>) {
      return bind_ternary<ThenAddSaturating<Multiply24<Shift>>, T, T, T, T>(instruction);
    }
    return nullptr;
  }
  return bind_ternary<ThenAdd<Multiply24<Shift>>, T, T, T, T>(instruction);
}

AluFunction find_product_24(const isa::Instruction& instruction) {
  const bool high = instruction.part == Part::hi;
  switch (instruction.type) {
    case Type::u32:
      return high ? find_24<std::uint32_t, 16>(instruction) : find_24<std::uint32_t, 0>(instruction);
    case Type::s32:
      return high ? find_24<std::int32_t, 16>(instruction) : find_24<std::int32_t, 0>(instruction);
    default:
      return nullptr;
  }
}

template <template <class, class> class Dot, class UA, class SA>
AluFunction find_dot(const isa::Instruction& instruction) {
  using U = std::uint32_t;
  const bool signed_b = isa::is_signed(instruction.source_type);
  if (isa::is_signed(instruction.type)) {
    return signed_b ? bind_ternary<Dot<SA, std::int8_t>, U, U, U, U>(instruction)
                    : bind_ternary<Dot<SA, std::uint8_t>, U, U, U, U>(instruction);
  }
  return signed_b ? bind_ternary<Dot<UA, std::int8_t>, U, U, U, U>(instruction)
                  : bind_ternary<Dot<UA, std::uint8_t>, U, U, U, U>(instruction);
}
template <class A, class B>
using DotLow = DotHalves<A, B, 0>;
template <class A, class B>
using DotHigh = DotHalves<A, B, 16>;

}  // namespace

AluFunction find_product(const isa::Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::imul:
      return find_multiply(instruction);
    case Opcode::imad:
      return find_multiply_add(instruction);
    case Opcode::imul24:
    case Opcode::imad24:
      return find_product_24(instruction);
    case Opcode::dp4a:
      return find_dot<DotBytes, std::uint8_t, std::int8_t>(instruction);
    case Opcode::dp2a:
      return instruction.part == Part::hi ? find_dot<DotHigh, std::uint16_t, std::int16_t>(instruction)
                                          : find_dot<DotLow, std::uint16_t, std::int16_t>(instruction);
    default:
      return nullptr;
  }
}

}  // namespace heddle::exec
