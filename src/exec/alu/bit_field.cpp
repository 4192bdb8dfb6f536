// Bit fields: extract, insert, find, mask, sign-extend; and the byte permutation.
#include <bit>

#include "exec/alu/families.h"
#include "exec/alu/select_type.h"

namespace heddle::exec {
namespace {

using isa::Opcode;
using isa::Part;
using isa::Type;
using U = std::uint32_t;

/// The low `length` bits set; all of them from the width of T up.
template <class T>
[[nodiscard]] constexpr T low_bits(std::uint32_t length) {
  constexpr std::uint32_t width = 8 * sizeof(T);
  return length >= width ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << length) - 1);
}

// Position and length of fields are the low bytes of their operands.
struct ExtractField {
  template <class T>
  T operator()(T a, U position, U length) const {
    using Bits = std::make_unsigned_t<T>;
    constexpr U width = 8 * sizeof(T);
    const U start = position & 0xffu;
    const U count = length & 0xffu;
    const Bits bits = static_cast<Bits>(a);
    const Bits field = start < width ? static_cast<Bits>(bits >> start) : Bits{0};
    const U available = start < width ? width - start : 0;
    const U kept = count < available ? count : available;
    Bits result = static_cast<Bits>(field & low_bits<Bits>(kept));
    if constexpr (std::is_signed_v<T>) {
      const U last = start + count - 1 < width - 1 ? start + count - 1 : width - 1;
      if (count != 0 && ((bits >> last) & 1u) != 0) {
        result |= static_cast<Bits>(~low_bits<Bits>(kept));
      }
    }
    return static_cast<T>(result);
  }
};

template <class T>
void insert_field(const AluArguments& arguments, const isa::Instruction&) {
  const auto* a = source_row<T>(arguments, 0);
  const auto* b = source_row<T>(arguments, 1);
  const auto* position = source_row<U>(arguments, 2);
  const auto* length = source_row<U>(arguments, 3);
  write_row<T, sizeof(T) == 8>(arguments.dst[0], arguments.active, [=](unsigned lane) -> T {
    constexpr U width = 8 * sizeof(T);
    const U start = position[lane] & 0xffu;
    if (start >= width) {
      return b[lane];
    }
    const T mask = static_cast<T>(low_bits<T>(length[lane] & 0xffu) << start);
    return (static_cast<T>(a[lane] << start) & mask) | (b[lane] & ~mask);
  });
}

/// Position of the highest bit that is not a copy of the sign; all ones if there is none.
template <bool ShiftAmount>
struct FindField {
  template <class T>
  U operator()(T a) const {
    using Bits = std::make_unsigned_t<T>;
    const Bits bits = static_cast<Bits>(a < T{0} ? ~a : a);
    if (bits == 0) {
      return ~U{0};
    }
    const auto zeros = static_cast<U>(std::countl_zero(bits));
    return ShiftAmount ? zeros : static_cast<U>(8 * sizeof(T) - 1) - zeros;
  }
};

/// The position of the |offset|-th set bit at or above (offset > 0) or at or below (offset < 0) the base.
struct FindNthSet {
  U operator()(U mask, U base, std::int32_t offset) const {
    if (base > 31) {
      return ~U{0};
    }
    if (offset == 0) {
      return lane_in(mask, base) ? base : ~U{0};
    }
    const int step = offset > 0 ? 1 : -1;
    std::int64_t remaining = offset > 0 ? std::int64_t{offset} : -std::int64_t{offset};
    for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
      if (lane_in(mask, static_cast<unsigned>(at)) && --remaining == 0) {
        return static_cast<U>(at);
      }
    }
    return ~U{0};
  }
};

template <bool Clamp>
struct BitMask {
  U operator()(U position, U count) const {
    const U start = position & 31u;
    const U end = start + (count & 31u);
    const bool beyond = end >= 32 || (Clamp && (position >= 32 || count >= 32));
    const U from = Clamp && position >= 32 ? 0 : ~U{0} << start;
    const U to = beyond ? 0 : ~U{0} << end;
    return from & ~to;
  }
};

template <class T, bool Clamp>
struct ExtendFrom {
  T operator()(T a, U count) const {
    const U kept = Clamp ? (count < 32 ? count : 32) : count & 31u;
    if (kept == 0) {
      return 0;
    }
    const U shifted = static_cast<U>(a) << (32 - kept);
    return static_cast<T>(static_cast<T>(shifted) >> (32 - kept));
  }
};

/// Four selectors of four bits: byte 0-7 of {b, a}; bit 3 replicates that byte's sign instead.
[[nodiscard]] U permute(std::uint64_t bytes, U selectors) {
  U result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const U selector = selectors >> (4 * i);
    const auto byte = static_cast<U>(bytes >> (8 * (selector & 7u))) & 0xffu;
    const U value = (selector & 8u) == 0 ? byte : (byte & 0x80u) != 0 ? 0xffu : 0u;
    result |= value << (8 * i);
  }
  return result;
}

/// Selectors of a special mode for the low two bits of c (PTX ISA, "prmt", table of modes).
template <Part Mode>
[[nodiscard]] constexpr U selectors(U c) {
  // clang-format off
  constexpr U forward[4]   = {0x3210, 0x4321, 0x5432, 0x6543};
  constexpr U backward[4]  = {0x5670, 0x6701, 0x7012, 0x0123};
  constexpr U replicate[4] = {0x0000, 0x1111, 0x2222, 0x3333};
  constexpr U clamp_left[4]  = {0x3210, 0x3211, 0x3222, 0x3333};
  constexpr U clamp_right[4] = {0x0000, 0x1110, 0x2210, 0x3210};
  constexpr U replicate_half[4] = {0x1010, 0x3232, 0x1010, 0x3232};
  // clang-format on
  switch (Mode) {
    case Part::f4e:
      return forward[c & 3u];
    case Part::b4e:
      return backward[c & 3u];
    case Part::rc8:
      return replicate[c & 3u];
    case Part::ecl:
      return clamp_left[c & 3u];
    case Part::ecr:
      return clamp_right[c & 3u];
    case Part::rc16:
      return replicate_half[c & 3u];
    default:
      return c;
  }
}

template <Part Mode>
struct Permute {
  U operator()(U a, U b, U c) const { return permute((std::uint64_t{b} << 32) | a, selectors<Mode>(c)); }
};

template <Part Mode>
AluFunction bind_permute(const isa::Instruction& instruction) {
  return bind_ternary<Permute<Mode>, U, U, U, U>(instruction);
}

AluFunction find_permute(const isa::Instruction& instruction) {
  switch (instruction.part) {
    case Part::none:
      return bind_permute<Part::none>(instruction);
    case Part::f4e:
      return bind_permute<Part::f4e>(instruction);
    case Part::b4e:
      return bind_permute<Part::b4e>(instruction);
    case Part::rc8:
      return bind_permute<Part::rc8>(instruction);
    case Part::ecl:
      return bind_permute<Part::ecl>(instruction);
    case Part::ecr:
      return bind_permute<Part::ecr>(instruction);
    case Part::rc16:
      return bind_permute<Part::rc16>(instruction);
    default:
      return nullptr;
  }
}

AluFunction find_extend(const isa::Instruction& instruction) {
  const bool clamp = instruction.part == Part::clamp;
  if (instruction.type == Type::s32) {
    using S = std::int32_t;
    return clamp ? bind_binary<ExtendFrom<S, true>, S, S, U>(instruction)
                 : bind_binary<ExtendFrom<S, false>, S, S, U>(instruction);
  }
  return clamp ? bind_binary<ExtendFrom<U, true>, U, U, U>(instruction)
               : bind_binary<ExtendFrom<U, false>, U, U, U>(instruction);
}

template <class T>
AluFunction find_of_width(const isa::Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::bfe:
      return bind_ternary<ExtractField, T, T, U, U>(instruction);
    case Opcode::bfind:
      return instruction.part == Part::shiftamt ? bind_unary<FindField<true>, U, T>(instruction)
                                                : bind_unary<FindField<false>, U, T>(instruction);
    default: {
      using Bits = std::make_unsigned_t<T>;
      return operands_fit<Bits, Bits, Bits, U, U>(instruction) ? &insert_field<Bits> : nullptr;
    }
  }
}

}  // namespace

AluFunction find_bit_field(const isa::Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::bfe:
    case Opcode::bfi:
    case Opcode::bfind:
      return with_integer(instruction.type, [&]<class T>() -> AluFunction {
        if constexpr (sizeof(T) >= 4) {
          return find_of_width<T>(instruction);
        }
        return nullptr;
      });
    case Opcode::fns:
      return bind_ternary<FindNthSet, U, U, U, std::int32_t>(instruction);
    case Opcode::prmt:
      return find_permute(instruction);
    case Opcode::bmsk:
      return instruction.part == Part::clamp ? bind_binary<BitMask<true>, U, U, U>(instruction)
                                             : bind_binary<BitMask<false>, U, U, U>(instruction);
    case Opcode::szext:
      return find_extend(instruction);
    default:
      return nullptr;
  }
}

}  // namespace heddle::exec
