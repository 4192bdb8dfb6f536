// Elementary functions in double precision from the four basic operations alone, so that every host computes the same
// bits. Far more accurate than the approximations of the special function unit that are rounded from them.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace heddle::exec {

/// 2^n for n in the range of normal doubles.
[[nodiscard]] constexpr double power_of_two(int n) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52);
}

/// The value at x of the polynomial with these coefficients, the highest first.
template <std::size_t N>
[[nodiscard]] constexpr double polynomial(const double (&coefficients)[N], double x) {
  double sum = coefficients[0];
  for (std::size_t n = 1; n < N; ++n) {
    sum = sum * x + coefficients[n];
  }
  return sum;
}

/// 2^x for |x| <= 1000; relative error below 2^-41.
[[nodiscard]] inline double exp2_of(double x) {
  constexpr double series[] = {1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120,
                               1.0 / 24,      1.0 / 6,      0.5,         1.0,        1.0};
  const int whole = static_cast<int>(x + std::copysign(0.5, x));
  const double t = (x - whole) * 0.69314718055994530942;  // |t| <= ln 2 / 2
  return polynomial(series, t) * power_of_two(whole);
}

/// log2(x) for normal x > 0; relative error below 2^-40, near 1 too.
[[nodiscard]] constexpr double log2_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double mantissa = std::bit_cast<double>((bits & 0xfffffffffffffu) | 0x3ff0000000000000u);
  if (mantissa > 1.41421356237309504880) {
    mantissa *= 0.5;
    ++exponent;
  }
  const double s = (mantissa - 1.0) / (mantissa + 1.0);  // log(m) = 2 atanh(s), |s| <= 0.172
  const double square = s * s;
  constexpr double series[] = {1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0};
  return exponent + 2.88539008177792681472 * s * polynomial(series, square);  // 2 / ln 2
}

/// sin and cos for 0 <= x <= pi/4; error below 2^-45.
[[nodiscard]] constexpr double sin_of(double x) {
  constexpr double series[] = {-1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6, 1.0};
  return x * polynomial(series, x * x);
}
[[nodiscard]] constexpr double cos_of(double x) {
  constexpr double series[] = {1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -0.5, 1.0};
  return polynomial(series, x * x);
}

/// tanh(x) for x >= 0; relative error below 2^-30.
[[nodiscard]] inline double tanh_of(double x) {
  if (x > 20.0) {
    return 1.0;
  }
  if (x < 0.125) {
    const double s = x * x;
    return x * (1.0 - s * (1.0 / 3 - s * (2.0 / 15 - s * (17.0 / 315 - s * (62.0 / 2835 - s * 1382.0 / 155925)))));
  }
  return 1.0 - 2.0 / (exp2_of(x * 2.88539008177792681472) + 1.0);
}

}  // namespace heddle::exec
