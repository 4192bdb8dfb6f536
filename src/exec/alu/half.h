// f16 and bf16 as bit patterns, their exact widening to float, and arithmetic on them that rounds once.
//
// Products of two such values are exact in a double. A sum is rounded to odd there (inexact results get an odd last
// bit), and rounding a double so obtained to 11 or 8 bits gives the correctly rounded result.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "exec/alu/rounding.h"

namespace heddle::exec {

struct Half {
  std::uint16_t bits;
  using Format = HalfFormat;
};
struct BFloat {
  std::uint16_t bits;
  using Format = BFloatFormat;
};
/// Two elements in one register; the first is the low half.
struct Half2 {
  std::uint32_t bits;
  using Element = Half;
};
struct BFloat2 {
  std::uint32_t bits;
  using Element = BFloat;
};

inline constexpr std::uint16_t kHalfNan = 0x7fff;  // what the machine returns for both formats

[[nodiscard]] constexpr bool is_nan(Half x) { return (x.bits & 0x7fffu) > 0x7c00u; }
[[nodiscard]] constexpr bool is_nan(BFloat x) { return (x.bits & 0x7fffu) > 0x7f80u; }
[[nodiscard]] constexpr bool is_subnormal(Half x) { return (x.bits & 0x7c00u) == 0; }
[[nodiscard]] constexpr bool is_subnormal(BFloat x) { return (x.bits & 0x7f80u) == 0; }

/// With Ftz, subnormals become zeros of their sign.
template <bool Ftz, class H>
[[nodiscard]] constexpr H flush_half(H x) {
  return H{static_cast<std::uint16_t>(Ftz && is_subnormal(x) ? x.bits & 0x8000u : x.bits)};
}

[[nodiscard]] constexpr float widen(BFloat x) { return std::bit_cast<float>(std::uint32_t{x.bits} << 16); }

/// Exact; without branches, so that rows of conversions vectorise, and without arithmetic on subnormal floats, which is
/// slow on many hosts.
[[nodiscard, gnu::always_inline]] inline float widen(Half x) {
  const std::uint32_t sign = (x.bits & 0x8000u) << 16;
  const std::uint32_t magnitude = x.bits & 0x7fffu;
  const std::uint32_t rebias =
      pick(magnitude >= 0x7c00u, 224u << 23, 112u << 23);  // infinities and NaNs to the last exponent
  const std::uint32_t normal = (magnitude << 13) + rebias;
  const auto subnormal =
      std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f);
  return std::bit_cast<float>(pick(magnitude < 0x0400u, subnormal, normal) | sign);
}

/// a * b + c in double, rounded to odd; a * b must be exact.
[[nodiscard, gnu::always_inline]] inline double fused_to_odd(double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (c - part);  // NaN where the sum is not finite
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  const auto error_bits = std::bit_cast<std::uint64_t>(error);
  const std::uint64_t away =
      bits + 1 - 2 * ((bits ^ error_bits) >> 63);  // if the error has the sum's sign; else toward zero
  const std::uint64_t if_inexact = pick((error_bits << 1) != 0, away, bits);
  const std::uint64_t if_even = pick((bits & 1u) == 0, if_inexact, bits);
  return std::bit_cast<double>(pick((bits << 1) < 0xffe0000000000000u, if_even, bits));  // finite
}

/// To nearest even. Rounds by adding integers, or, below the least normal number, a power of two whose last bit is the
/// least subnormal; both without branches.
template <class H>
[[nodiscard, gnu::always_inline]] inline H narrow(double value) {
  using Format = typename H::Format;
  constexpr int dropped = 52 - kMantissaBits<Format>;
  constexpr int least_exponent = 1 - Format::kMaxExponent;
  constexpr double least_normal = std::bit_cast<double>(static_cast<std::uint64_t>(least_exponent + 1023) << 52);
  constexpr double aligner =
      std::bit_cast<double>(static_cast<std::uint64_t>(least_exponent - kMantissaBits<Format> + 52 + 1023) << 52);
  constexpr std::uint64_t rebias = static_cast<std::uint64_t>(1023 - Format::kMaxExponent) << kMantissaBits<Format>;

  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t sign = (bits >> 48) & 0x8000u;
  const std::uint64_t magnitude = bits & 0x7fffffffffffffffu;
  const std::uint64_t odd = (magnitude >> dropped) & 1u;
  const std::uint64_t normal = ((magnitude + ((std::uint64_t{1} << (dropped - 1)) - 1) + odd) >> dropped) - rebias;
  const std::uint64_t subnormal =
      std::bit_cast<std::uint64_t>(std::bit_cast<double>(magnitude) + aligner) - std::bit_cast<std::uint64_t>(aligner);
  const std::uint64_t finite = pick(magnitude < std::bit_cast<std::uint64_t>(least_normal), subnormal, normal);
  const std::uint64_t bounded = pick(finite < kInfinityBits<Format>, finite, kInfinityBits<Format>);
  const bool nan = magnitude > 0x7ff0000000000000u;
  return H{static_cast<std::uint16_t>(pick(nan, std::uint64_t{kHalfNan}, bounded | sign))};
}

}  // namespace heddle::exec
