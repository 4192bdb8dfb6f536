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

/// Exact; without branches, so that rows of conversions vectorise.
[[nodiscard]] inline float widen(Half x) {
  const std::uint32_t sign = (x.bits & 0x8000u) << 16;
  const std::uint32_t magnitude = (x.bits & 0x7fffu) << 13;
  // Rebiases by multiplication, which also normalises subnormals; infinities and NaNs get the exponent afterwards.
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
  const std::uint32_t special = magnitude >= 0x0f800000u ? 0x7f800000u : 0u;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign);
}

/// a * b + c in double, rounded to odd; a * b must be exact.
[[nodiscard]] inline double fused_to_odd(double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  if (!std::isfinite(sum)) {
    return sum;
  }
  const double part = sum - product;
  const double error = (product - (sum - part)) + (c - part);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (error == 0.0 || (bits & 1u) != 0) {
    return sum;
  }
  return std::bit_cast<double>((error > 0.0) == (sum > 0.0) ? bits + 1 : bits - 1);
}

template <class H>
[[nodiscard]] inline H narrow(double value) {
  if (std::isnan(value)) {
    return H{kHalfNan};
  }
  return H{static_cast<std::uint16_t>(narrow_double<typename H::Format>(value, isa::Rounding::rn))};
}

}  // namespace heddle::exec
