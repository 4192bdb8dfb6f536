// Bitwise logic, shifts, counts and reversals.
#include <bit>

#include "exec/alu/families.h"
#include "exec/alu/select_type.h"

namespace heddle::exec {
namespace {

using isa::Opcode;
using isa::Part;

struct And {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
struct Not {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(~a);
  }
};
struct LogicalNot {
  template <class T>
  T operator()(T a) const {
    return a == 0 ? 1 : 0;
  }
};

// Amounts at or above the width shift everything out. The amount is brought into range before the shift, not after it:
// vector shifts would do the right thing, scalar ones would not.
struct ShiftLeft {
  template <class T>
  T operator()(T a, std::uint32_t amount) const {
    constexpr std::uint32_t width = 8 * sizeof(T);
    const Modular<T> shifted = Modular<T>(a) << (amount & (8 * sizeof(Modular<T>) - 1));
    return amount < width ? static_cast<T>(shifted) : T{0};
  }
};
struct ShiftRight {
  template <class T>
  T operator()(T a, std::uint32_t amount) const {
    constexpr std::uint32_t width = 8 * sizeof(T);
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(a >> (amount < width ? amount : width - 1));
    } else {
      return amount < width ? static_cast<T>(Modular<T>(a) >> (amount & (8 * sizeof(Modular<T>) - 1))) : T{0};
    }
  }
};

struct PopulationCount {
  template <class T>
  std::uint32_t operator()(T a) const {
    return static_cast<std::uint32_t>(std::popcount(a));
  }
};
struct LeadingZeros {
  template <class T>
  std::uint32_t operator()(T a) const {
    return static_cast<std::uint32_t>(std::countl_zero(a));
  }
};
struct Reverse {
  std::uint32_t operator()(std::uint32_t a) const {
    a = ((a >> 1) & 0x55555555u) | ((a & 0x55555555u) << 1);
    a = ((a >> 2) & 0x33333333u) | ((a & 0x33333333u) << 2);
    a = ((a >> 4) & 0x0f0f0f0fu) | ((a & 0x0f0f0f0fu) << 4);
    a = ((a >> 8) & 0x00ff00ffu) | ((a & 0x00ff00ffu) << 8);
    return (a >> 16) | (a << 16);
  }
  std::uint64_t operator()(std::uint64_t a) const {
    const std::uint64_t low = (*this)(static_cast<std::uint32_t>(a));
    return (low << 32) | (*this)(static_cast<std::uint32_t>(a >> 32));
  }
};

/// Funnel shifts see a as the low and b as the high word of 64 bits.
template <bool Left, bool Wrap>
struct FunnelShift {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t amount) const {
    const std::uint64_t both = (std::uint64_t{b} << 32) | a;
    const std::uint32_t n = Wrap ? amount & 31u : (amount < 32 ? amount : 32);
    return static_cast<std::uint32_t>(Left ? (both << n) >> 32 : both >> n);
  }
};

/// Any function of three bits. The table's entry for (a, b, c) is bit 4a + 2b + c; three levels of multiplexers pick
/// it.
void three_input_logic(const AluArguments& arguments, const isa::Instruction& instruction) {
  const auto* a = source_row<std::uint32_t>(arguments, 0);
  const auto* b = source_row<std::uint32_t>(arguments, 1);
  const auto* c = source_row<std::uint32_t>(arguments, 2);
  const auto entry = [&instruction](unsigned index) {
    return 0u - ((std::uint32_t{instruction.immediate} >> index) & 1u);
  };
  const std::uint32_t when_clear[4] = {entry(0), entry(1), entry(2), entry(3)};
  const std::uint32_t difference[4] = {entry(0) ^ entry(4), entry(1) ^ entry(5), entry(2) ^ entry(6),
                                       entry(3) ^ entry(7)};
  const auto c0 = when_clear[0], c1 = when_clear[1], c2 = when_clear[2], c3 = when_clear[3];
  const auto d0 = difference[0], d1 = difference[1], d2 = difference[2], d3 = difference[3];
  write_row<std::uint32_t, false>(arguments.dst[0], arguments.active, [=](unsigned lane) {
    const std::uint32_t x = a[lane];
    const std::uint32_t y = b[lane];
    const std::uint32_t z = c[lane];
    const std::uint32_t v0 = c0 ^ (x & d0);  // b = 0, c = 0
    const std::uint32_t v1 = c1 ^ (x & d1);  // b = 0, c = 1
    const std::uint32_t v2 = c2 ^ (x & d2);  // b = 1, c = 0
    const std::uint32_t v3 = c3 ^ (x & d3);  // b = 1, c = 1
    const std::uint32_t low = v0 ^ (y & (v0 ^ v2));
    const std::uint32_t high = v1 ^ (y & (v1 ^ v3));
    return low ^ (z & (low ^ high));
  });
}

template <class Op>
AluFunction find_logic(const isa::Instruction& instruction) {
  return with_bits(instruction.type, [&]<class T>() { return bind_binary<Op, T, T, T>(instruction); });
}

template <bool Left>
AluFunction find_funnel(const isa::Instruction& instruction) {
  using U = std::uint32_t;
  return instruction.part == Part::clamp ? bind_ternary<FunnelShift<Left, false>, U, U, U, U>(instruction)
                                         : bind_ternary<FunnelShift<Left, true>, U, U, U, U>(instruction);
}

}  // namespace

AluFunction find_bits(const isa::Instruction& instruction) {
  using U = std::uint32_t;
  switch (instruction.op) {
    case Opcode::and_:
      return find_logic<And>(instruction);
    case Opcode::or_:
      return find_logic<Or>(instruction);
    case Opcode::xor_:
      return find_logic<Xor>(instruction);
    case Opcode::not_:
      return with_bits(instruction.type, [&]<class T>() { return bind_unary<Not, T, T>(instruction); });
    case Opcode::cnot:
      return with_bits(instruction.type, [&]<class T>() { return bind_unary<LogicalNot, T, T>(instruction); });
    case Opcode::shl:
      return with_bits(instruction.type, [&]<class T>() { return bind_binary<ShiftLeft, T, T, U>(instruction); });
    case Opcode::shr:
      return with_integer(instruction.type, [&]<class T>() { return bind_binary<ShiftRight, T, T, U>(instruction); });
    case Opcode::shf_l:
      return find_funnel<true>(instruction);
    case Opcode::shf_r:
      return find_funnel<false>(instruction);
    case Opcode::popc:
      return with_word(instruction.type, [&]<class T>() { return bind_unary<PopulationCount, U, T>(instruction); });
    case Opcode::clz:
      return with_word(instruction.type, [&]<class T>() { return bind_unary<LeadingZeros, U, T>(instruction); });
    case Opcode::brev:
      if (isa::size_of(instruction.type) == 8) {
        return bind_unary<Reverse, std::uint64_t, std::uint64_t>(instruction);
      }
      return bind_unary<Reverse, U, U>(instruction);
    case Opcode::lop3:
      return operands_fit<U, U, U, U>(instruction) ? &three_input_logic : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace heddle::exec
