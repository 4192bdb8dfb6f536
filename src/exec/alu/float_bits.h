// What the machine does to single- and double-precision values around an operation: flushing subnormals, the NaN it
// returns, saturation, and the order that min and max use. Everything is a select, so that loops over it vectorise.
#pragma once

#include <bit>
#include <cstdint>

#include "exec/alu/rounding.h"

namespace heddle::exec {

inline constexpr std::uint32_t kFloatNan = 0x7fffffffu;
inline constexpr std::uint64_t kDoubleNan = 0xfff8000000000000u;  // of invalid operations, as on the host

[[nodiscard]] constexpr std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
[[nodiscard]] constexpr std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }
[[nodiscard]] constexpr float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }
[[nodiscard]] constexpr double double_of(std::uint64_t bits) { return std::bit_cast<double>(bits); }

[[nodiscard]] constexpr bool is_nan(float x) { return (bits_of(x) & 0x7fffffffu) > 0x7f800000u; }
[[nodiscard]] constexpr bool is_nan(double x) { return (bits_of(x) & 0x7fffffffffffffffu) > 0x7ff0000000000000u; }

/// Subnormals become zeros of their sign.
[[nodiscard]] constexpr float flush(float x) {
  const std::uint32_t bits = bits_of(x);
  return float_of((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}
[[nodiscard]] constexpr double flush(double x) {
  const std::uint64_t bits = bits_of(x);
  return double_of((bits & 0x7ff0000000000000u) == 0 ? bits & 0x8000000000000000u : bits);
}
template <bool Ftz, class F>
[[nodiscard]] constexpr F flush_if(F x) {
  return Ftz ? flush(x) : x;
}

/// Every NaN of single precision that the machine returns is the same one.
[[nodiscard]] constexpr float canonical(float x) { return float_of(pick(is_nan(x), kFloatNan, bits_of(x))); }

/// In double precision a NaN operand comes back quieted. Of two, the machine takes the second; of three, the second,
/// then the third. The host has another order, and a compiler that commutes operands has none.
[[nodiscard]] constexpr double quieted(double x) { return double_of(bits_of(x) | 0x0008000000000000u); }
[[nodiscard]] constexpr double with_nan_of(double result, double a) {
  return double_of(pick(is_nan(a), bits_of(quieted(a)), bits_of(result)));
}
[[nodiscard]] constexpr double with_nan_of(double result, double a, double b) {
  return with_nan_of(with_nan_of(result, a), b);
}
[[nodiscard]] constexpr double with_nan_of(double result, double a, double b, double c) {
  return with_nan_of(with_nan_of(with_nan_of(result, a), c), b);
}

/// To [+0, 1]; NaN gives +0. The comparison order makes both -0 and NaN fall to +0.
template <class F>
[[nodiscard]] constexpr F saturate(F x) {
  const F low = x > F{0} ? x : F{0};
  return low < F{1} ? low : F{1};
}

/// Order of numbers with -0 below +0, as integers that compare like them. NaNs lie at the ends.
[[nodiscard]] constexpr std::int32_t order(float x) {
  const auto bits = static_cast<std::int32_t>(bits_of(x));
  return bits < 0 ? bits ^ 0x7fffffff : bits;
}
[[nodiscard]] constexpr std::int64_t order(double x) {
  const auto bits = static_cast<std::int64_t>(bits_of(x));
  return bits < 0 ? bits ^ 0x7fffffffffffffff : bits;
}

}  // namespace heddle::exec
