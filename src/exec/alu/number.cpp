#include "exec/alu/number.h"

#include "exec/alu/rounding.h"

namespace heddle::exec {
namespace {

using isa::Type;

template <class Format>
[[nodiscard]] Number unpack_float(std::uint64_t bits) {
  constexpr int mantissa_bits = kMantissaBits<Format>;
  constexpr std::uint64_t exponent_mask = (std::uint64_t{1} << kExponentBits<Format>)-1;
  const std::uint64_t mantissa = bits & ((std::uint64_t{1} << mantissa_bits) - 1);
  const std::uint64_t field = (bits >> mantissa_bits) & exponent_mask;
  Number number;
  number.negative = (bits & kSignBit<Format>) != 0;
  if (field == exponent_mask) {
    number.kind = mantissa == 0 ? Number::Kind::infinite : Number::Kind::nan;
    number.significand = mantissa << (64 - mantissa_bits);
    return number;
  }
  number.significand = field == 0 ? mantissa : mantissa | (std::uint64_t{1} << mantissa_bits);
  number.exponent = static_cast<int>(field == 0 ? 1 : field) - Format::kMaxExponent - mantissa_bits;
  return number;
}

template <class Format>
[[nodiscard]] std::uint64_t pack_float(const Number& number, isa::Rounding mode) {
  const std::uint64_t sign = number.negative ? kSignBit<Format> : 0;
  switch (number.kind) {
    case Number::Kind::infinite:
      return sign | kInfinityBits<Format>;
    case Number::Kind::nan: {
      constexpr std::uint64_t quiet = std::uint64_t{1} << (kMantissaBits<Format> - 1);
      return sign | kInfinityBits<Format> | quiet | (number.significand >> (64 - kMantissaBits<Format>));
    }
    default:
      return round_to<Format>(number.negative, number.exponent, number.significand, false, mode);
  }
}

}  // namespace

std::uint64_t extend_register(std::uint64_t bits, Type type) {
  const unsigned width = 8 * isa::size_of(type);
  if (width == 64) {
    return bits;
  }
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  const bool negative = isa::is_signed(type) && ((bits >> (width - 1)) & 1u) != 0;
  return negative ? bits | ~mask : bits & mask;
}

Number number_of(std::uint64_t bits, Type type) {
  switch (type) {
    case Type::f16:
      return unpack_float<HalfFormat>(bits);
    case Type::bf16:
      return unpack_float<BFloatFormat>(bits);
    case Type::f32:
      return unpack_float<FloatFormat>(bits);
    case Type::f64:
      return unpack_float<DoubleFormat>(bits);
    default: {
      const std::uint64_t value = extend_register(bits, type);
      const bool negative = isa::is_signed(type) && (value >> 63) != 0;
      return {Number::Kind::finite, negative, 0, negative ? 0 - value : value};
    }
  }
}

std::uint64_t float_bits(const Number& number, Type type, isa::Rounding mode) {
  switch (type) {
    case Type::f16:
      return pack_float<HalfFormat>(number, mode);
    case Type::bf16:
      return pack_float<BFloatFormat>(number, mode);
    case Type::f32:
      return pack_float<FloatFormat>(number, mode);
    default:
      return pack_float<DoubleFormat>(number, mode);
  }
}

Number round_to_integral(const Number& number, isa::Rounding mode) {
  if (number.kind != Number::Kind::finite || number.exponent >= 0) {
    return number;
  }
  Number rounded = number;
  rounded.exponent = 0;
  rounded.significand = shift_rounded(number.significand, -number.exponent, false, number.negative, mode);
  return rounded;
}

std::uint64_t integer_bits(const Number& number, Type type, isa::Rounding mode) {
  const unsigned width = 8 * isa::size_of(type);
  const std::uint64_t all = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  const bool is_signed = isa::is_signed(type);
  const std::uint64_t highest = is_signed ? all >> 1 : all;
  const std::uint64_t lowest_magnitude = is_signed ? highest + 1 : 0;
  const std::uint64_t limit = number.negative ? lowest_magnitude : highest;

  const Number rounded = round_to_integral(number, mode);
  const int room = rounded.significand == 0 ? 64 : std::countl_zero(rounded.significand);
  const bool too_large = rounded.kind != Number::Kind::finite || (rounded.significand != 0 && rounded.exponent > room);
  std::uint64_t magnitude = limit;
  if (!too_large) {
    const std::uint64_t exact = rounded.significand == 0 ? 0 : rounded.significand << rounded.exponent;
    magnitude = exact < limit ? exact : limit;
  }
  return extend_register(number.negative ? 0 - magnitude : magnitude, type);
}

}  // namespace heddle::exec
