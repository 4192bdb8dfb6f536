// cvt: between all integer and floating-point types, and the packed conversions of two values.
//
// What a NaN becomes was recorded on the machine: integers of up to 32 bits from f16, bf16 and f32 get 0; integers of
// 64 bits, and all integers from f64, get the lowest signed value of their width, unsigned ones too.
#include <limits>

#include "exec/alu/families.h"
#include "exec/alu/float_bits.h"
#include "exec/alu/flushing.h"
#include "exec/alu/number.h"
#include "exec/alu/select_type.h"

namespace heddle::exec {
namespace {

using isa::Instruction;
using isa::Rounding;
using isa::Type;

[[nodiscard]] std::uint64_t nan_to_integer(Type to, Type from) {
  const unsigned width = 8 * isa::size_of(to);
  const bool indefinite = from == Type::f64 || width == 64;
  return indefinite ? extend_register(std::uint64_t{1} << (width - 1), to) : 0;
}

/// The NaN that a NaN becomes: the machine's own, unless f64 is on either side.
[[nodiscard]] std::uint64_t nan_to_float(const Number& number, Type to, Type from, bool ftz) {
  if (from == Type::bf16 && to == Type::f32) {
    return (number.negative ? 0x80000000u : 0u) | 0x7f800000u | (number.significand >> 41);
  }
  if (to != Type::f64 && from != Type::f64) {
    return to == Type::f32 ? kFloatNan : kHalfNan;
  }
  if (ftz && from == Type::f32) {
    return float_bits(number_of(kFloatNan, Type::f32), to, Rounding::rn);
  }
  return float_bits(number, to, Rounding::rn);
}

[[nodiscard]] bool to_integral(Rounding rounding) {
  return rounding == Rounding::rni || rounding == Rounding::rzi || rounding == Rounding::rmi ||
         rounding == Rounding::rpi;
}

[[nodiscard]] std::uint64_t flush_single(std::uint64_t bits) {
  return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits;
}

[[nodiscard]] std::uint64_t float_result(const Number& number, const Instruction& i, Type to) {
  if (number.kind == Number::Kind::nan) {
    return i.saturate ? 0 : nan_to_float(number, to, i.source_type, i.ftz);
  }
  if (number.negative && (i.saturate || i.relu)) {
    return 0;
  }
  const Number one{Number::Kind::finite, false, 0, 1};
  const bool integral = to_integral(i.rounding);
  const Number value = integral ? round_to_integral(number, i.rounding) : number;
  std::uint64_t bits = float_bits(value, to, integral ? Rounding::rn : i.rounding);
  if (i.saturate) {
    const std::uint64_t limit = float_bits(one, to, Rounding::rn);
    bits = bits > limit ? limit : bits;
  }
  if (i.saturate_finite) {
    const std::uint64_t infinity = to == Type::f16 ? 0x7c00 : 0x7f80;
    if ((bits & 0x7fff) == infinity) bits = (bits & 0x8000) | (infinity - 1);
  }
  return i.ftz && to == Type::f32 ? flush_single(bits) : bits;
}

[[nodiscard]] std::uint64_t convert_value(std::uint64_t source, const Instruction& i, Type to) {
  const Type from = i.source_type;
  const std::uint64_t bits = i.ftz && from == Type::f32 ? flush_single(source & 0xffffffffu) : source;
  if (!isa::is_float(from) && !isa::is_float(to) && !i.saturate) {
    return extend_register(extend_register(bits, from), to);
  }
  const Number number = number_of(bits, from);
  if (isa::is_float(to)) {
    const std::uint64_t result = float_result(number, i, to);
    const bool suspect = i.ftz && from == Type::f64 && (result & 0x7fffffffu) == kLeastNormalBits;
    return suspect && flushed_to_zero(double_of(source), i.rounding) ? result & 0x80000000u : result;
  }
  return number.kind == Number::Kind::nan ? nan_to_integer(to, from) : integer_bits(number, to, i.rounding);
}

/// Any conversion, between registers of any width.
void convert_any(const AluArguments& arguments, const Instruction& instruction) {
  convert_row(arguments, instruction,
              [&instruction](std::uint64_t bits) { return convert_value(bits, instruction, instruction.type); });
}

/// Two sources into one register, the first in the higher part; for bytes, source 2 moves up to make room.
void convert_pair(const AluArguments& arguments, const Instruction& instruction) {
  const bool packed = isa::size_of(instruction.type) == 4;
  const Type element = instruction.type == Type::f16x2    ? Type::f16
                       : instruction.type == Type::bf16x2 ? Type::bf16
                       : instruction.type == Type::u16x2  ? Type::u16
                       : instruction.type == Type::s16x2  ? Type::s16
                                                          : instruction.type;
  const unsigned width = packed ? 16 : 8 * isa::size_of(element);
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  const auto* a = source_row<std::uint32_t>(arguments, 0);
  const auto* b = source_row<std::uint32_t>(arguments, 1);
  const auto* rest = instruction.src[2].exists() ? source_row<std::uint32_t>(arguments, 2) : nullptr;
  write_row<std::uint32_t, false>(arguments.dst[0], arguments.active, [&](unsigned lane) {
    const std::uint64_t high = convert_value(a[lane], instruction, element) & mask;
    const std::uint64_t low = convert_value(b[lane], instruction, element) & mask;
    const std::uint64_t above = rest == nullptr ? 0 : std::uint64_t{rest[lane]} << (2 * width);
    return static_cast<std::uint32_t>(above | (high << width) | low);
  });
}

// The frequent ones.

struct Cast {
  template <class S>
  auto operator()(S a) const {
    return a;
  }
};
template <class F>
struct ToFloat {
  template <class S>
  F operator()(S a) const {
    return static_cast<F>(a);
  }
};
struct NarrowToFloat {
  float operator()(double a) const {
    const auto payload = static_cast<std::uint32_t>((bits_of(a) >> 29) & 0x3fffffu);
    const auto sign = static_cast<std::uint32_t>(bits_of(a) >> 32) & 0x80000000u;
    return is_nan(a) ? float_of(sign | 0x7fc00000u | payload) : static_cast<float>(a);
  }
};
struct HalfToFloat {
  float operator()(Half a) const { return canonical(widen(a)); }
};
/// A move to the upper half, NaNs included.
struct BFloatToFloat {
  float operator()(BFloat a) const { return widen(a); }
};
/// To nearest even without branches: adding a power of two whose last bit is the result's makes the host round there.
struct FloatToHalf {
  Half operator()(float a) const {
    const std::uint32_t bits = bits_of(a);
    const std::uint32_t sign = (bits >> 16) & 0x8000u;
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    const std::uint32_t tiny = bits_of(float_of(magnitude) + 0.5f) - 0x3f000000u;
    const std::uint32_t odd = (magnitude >> 13) & 1u;
    const std::uint32_t rounded = (magnitude - 0x38000000u + 0xfffu + odd) >> 13;
    const std::uint32_t finite = magnitude < 0x38800000u ? tiny : rounded;
    const std::uint32_t number = (magnitude >= 0x47800000u ? 0x7c00u : finite) | sign;
    return Half{static_cast<std::uint16_t>(magnitude > 0x7f800000u ? std::uint32_t{kHalfNan} : number)};
  }
};
struct FloatToBFloat {
  BFloat operator()(float a) const {
    const std::uint32_t bits = bits_of(a);
    const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    return BFloat{static_cast<std::uint16_t>(is_nan(a) ? std::uint32_t{kHalfNan} : rounded)};
  }
};

/// Toward zero, saturating. The operand is clamped before the cast, which is undefined outside the target's range.
template <class I>
struct Truncate {
  template <class F>
  I operator()(F a) const {
    constexpr I lowest = std::numeric_limits<I>::min();
    constexpr I highest = std::numeric_limits<I>::max();
    constexpr F low = static_cast<F>(lowest);                     // exact
    constexpr F beyond = F{2} * static_cast<F>(highest / 2 + 1);  // 2^n, exact
    constexpr I of_nan =
        sizeof(F) == 8 || sizeof(I) == 8 ? static_cast<I>(std::make_unsigned_t<I>{1} << (8 * sizeof(I) - 1)) : I{0};
    const bool above = a >= beyond;
    const bool below = a < low;
    const F inside = (above | below | (a != a)) ? F{0} : a;
    const I value = static_cast<I>(inside);
    const I clamped = above ? highest : below ? lowest : value;
    return a != a ? of_nan : clamped;
  }
};

AluFunction find_frequent(const Instruction& i) {
  const bool nearest = i.rounding == Rounding::rn || i.rounding == Rounding::none;
  const bool from_float = isa::is_float(i.source_type);
  if (i.saturate || i.saturate_finite || i.relu || i.ftz) {
    return nullptr;
  }
  const auto word = [&](Type type, auto f) -> AluFunction {
    return isa::size_of(type) < 4 ? nullptr : with_integer(type, f);
  };
  if (!from_float) {
    switch (i.type) {
      case Type::f32:
        return !nearest ? nullptr
                        : word(i.source_type, [&]<class S>() { return bind_unary<ToFloat<float>, float, S>(i); });
      case Type::f64:
        return !nearest ? nullptr
                        : word(i.source_type, [&]<class S>() { return bind_unary<ToFloat<double>, double, S>(i); });
      default:
        return with_any_integer(i.type, [&]<class D>() {
          return with_any_integer(i.source_type, [&]<class S>() { return bind_unary<Cast, D, S>(i); });
        });
    }
  }
  if (!isa::is_float(i.type)) {
    if (i.rounding != Rounding::rzi) {
      return nullptr;
    }
    return word(i.type, [&]<class D>() -> AluFunction {
      switch (i.source_type) {
        case Type::f32:
          return bind_unary<Truncate<D>, D, float>(i);
        case Type::f64:
          return bind_unary<Truncate<D>, D, double>(i);
        default:
          return nullptr;
      }
    });
  }
  if (!nearest) {
    return nullptr;
  }
  switch (i.source_type) {
    case Type::f32:
      return i.type == Type::f16    ? bind_unary<FloatToHalf, Half, float>(i)
             : i.type == Type::bf16 ? bind_unary<FloatToBFloat, BFloat, float>(i)
             : i.type == Type::f64  ? bind_unary<ToFloat<double>, double, float>(i)
                                    : nullptr;
    case Type::f64:
      return i.type == Type::f32 ? bind_unary<NarrowToFloat, float, double>(i) : nullptr;
    case Type::f16:
      return i.type == Type::f32 ? bind_unary<HalfToFloat, float, Half>(i) : nullptr;
    case Type::bf16:
      return i.type == Type::f32 ? bind_unary<BFloatToFloat, float, BFloat>(i) : nullptr;
    default:
      return nullptr;
  }
}

[[nodiscard]] bool convertible(Type type) {
  switch (type) {
    case Type::none:
    case Type::pred:
    case Type::f16x2:
    case Type::bf16x2:
    case Type::u16x2:
    case Type::s16x2:
      return false;
    default:
      return true;
  }
}

}  // namespace

AluFunction find_convert(const Instruction& instruction) {
  if (instruction.op == isa::Opcode::cvt_pack) {
    const bool narrow = operand_fits(instruction.dst[0], false) && operand_fits(instruction.src[0], false) &&
                        operand_fits(instruction.src[1], false) && operand_fits(instruction.src[2], false);
    return narrow && instruction.src[1].exists() ? &convert_pair : nullptr;
  }
  if (!convertible(instruction.type) || !convertible(instruction.source_type) || !instruction.src[0].exists()) {
    return nullptr;
  }
  const bool wide_enough =
      (instruction.src[0].wide() || isa::size_of(instruction.source_type) <= 4) &&
      (!instruction.dst[0].exists() || instruction.dst[0].wide() || isa::size_of(instruction.type) <= 4);
  if (!wide_enough) {
    return nullptr;
  }
  const AluFunction frequent = find_frequent(instruction);
  return frequent != nullptr ? frequent : &convert_any;
}

}  // namespace heddle::exec
