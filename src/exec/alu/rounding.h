// Rounding to any binary format, in integers: the one place that knows how a result is rounded, whatever its source.
//
// A finite value is (-1)^negative * significand * 2^exponent with a 64-bit significand; `sticky` says that it was cut
// off and something non-zero lay below. Overflow, underflow and all rounding modes follow IEEE 754.
#pragma once

#include <bit>
#include <cstdint>

#include "isa/instruction.h"

namespace heddle::exec {

/// condition ? a : b, by masks. Where a or b comes from a floating-point operation, a compiler may turn the operator
/// into a branch around that operation, and the loop around it stays scalar.
template <class U>
[[nodiscard]] constexpr U pick(bool condition, U a, U b) {
  const U mask = static_cast<U>(U{0} - static_cast<U>(condition));
  return static_cast<U>((a & mask) | (b & ~mask));
}

struct HalfFormat {
  static constexpr int kPrecision = 11;
  static constexpr int kMaxExponent = 15;
};
struct BFloatFormat {
  static constexpr int kPrecision = 8;
  static constexpr int kMaxExponent = 127;
};
struct FloatFormat {
  static constexpr int kPrecision = 24;
  static constexpr int kMaxExponent = 127;
};
struct DoubleFormat {
  static constexpr int kPrecision = 53;
  static constexpr int kMaxExponent = 1023;
};

template <class Format>
inline constexpr int kMantissaBits = Format::kPrecision - 1;
template <class Format>
inline constexpr int kExponentBits = std::bit_width(static_cast<unsigned>(Format::kMaxExponent)) + 1;
template <class Format>
inline constexpr std::uint64_t kInfinityBits = ((std::uint64_t{1} << kExponentBits<Format>)-1) << kMantissaBits<Format>;
template <class Format>
inline constexpr std::uint64_t kSignBit = std::uint64_t{1} << (kMantissaBits<Format> + kExponentBits<Format>);

/// Whether rounding goes to the larger magnitude, given the bits below the last one kept.
[[nodiscard]] constexpr bool rounds_up(isa::Rounding mode, bool negative, bool odd, bool half, bool below_half) {
  switch (mode) {
    case isa::Rounding::rz:
    case isa::Rounding::rzi:
      return false;
    case isa::Rounding::rm:
    case isa::Rounding::rmi:
      return negative && (half || below_half);
    case isa::Rounding::rp:
    case isa::Rounding::rpi:
      return !negative && (half || below_half);
    case isa::Rounding::rna:
      return half;
    default:
      return half && (below_half || odd);
  }
}

/// significand >> shift, rounded; the result of a shift by 64 or more is 0 or 1.
[[nodiscard]] constexpr std::uint64_t shift_rounded(std::uint64_t significand, int shift, bool sticky, bool negative,
                                                    isa::Rounding mode) {
  if (shift <= 0) {
    return significand << -shift;
  }
  const std::uint64_t kept = shift >= 64 ? 0 : significand >> shift;
  const bool half = shift <= 64 && ((significand >> (shift - 1)) & 1u) != 0;
  const std::uint64_t below_mask = shift > 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (shift - 1)) - 1;
  const bool below = sticky || (significand & below_mask) != 0;
  return kept + (rounds_up(mode, negative, (kept & 1u) != 0, half, below) ? 1 : 0);
}

/// The bits of the value in `Format`. A zero significand gives a signed zero.
template <class Format>
[[nodiscard]] constexpr std::uint64_t round_to(bool negative, int exponent, std::uint64_t significand, bool sticky,
                                               isa::Rounding mode) {
  const std::uint64_t sign = negative ? kSignBit<Format> : 0;
  if (significand == 0) {
    return sign;
  }
  const int leading = 63 - std::countl_zero(significand);
  const int magnitude = exponent + leading;  // value in [2^magnitude, 2^(magnitude + 1))
  constexpr int min_exponent = 1 - Format::kMaxExponent;
  const int last = (magnitude < min_exponent ? min_exponent : magnitude) - kMantissaBits<Format>;
  const std::uint64_t kept = shift_rounded(significand, last - exponent, sticky, negative, mode);
  // A carry out of the mantissa runs into the exponent field, which is right in every case, overflow included.
  const int biased = magnitude < min_exponent ? 1 : magnitude + Format::kMaxExponent;
  if (biased > 2 * Format::kMaxExponent) {
    const bool to_infinity = rounds_up(mode, negative, true, true, true);
    return sign | (kInfinityBits<Format> - (to_infinity ? 0 : 1));
  }
  const std::uint64_t bits = (static_cast<std::uint64_t>(biased - 1) << kMantissaBits<Format>)+kept;
  return sign | bits;
}

/// A finite or infinite double (not NaN) in `Format`.
template <class Format>
[[nodiscard]] inline std::uint64_t narrow_double(double value, isa::Rounding mode) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const bool negative = (bits >> 63) != 0;
  const auto field = static_cast<int>((bits >> 52) & 0x7ff);
  const std::uint64_t mantissa = bits & 0xfffffffffffffu;
  if (field == 0x7ff) {
    return (negative ? kSignBit<Format> : 0) | kInfinityBits<Format>;
  }
  const std::uint64_t significand = field == 0 ? mantissa : mantissa | (std::uint64_t{1} << 52);
  return round_to<Format>(negative, (field == 0 ? 1 : field) - 1075, significand, false, mode);
}

}  // namespace heddle::exec
