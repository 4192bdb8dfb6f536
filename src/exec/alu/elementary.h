// Elementary functions in double precision from the four basic operations alone, so that every host computes the same
// bits. Far more accurate than the approximations of the special function unit that are rounded from them.
#pragma once

#include <bit>
#include <cstdint>

namespace heddle::exec {

/// 2^n for n in the range of normal doubles.
[[nodiscard]] constexpr double power_of_two(int n) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52);
}

/// 2^x for |x| <= 1000; relative error below 2^-45.
[[nodiscard]] constexpr double exp2_of(double x) {
  const int whole = static_cast<int>(x < 0 ? x - 0.5 : x + 0.5);
  const double t = (x - whole) * 0.69314718055994530942;  // |t| <= ln 2 / 2
  double sum = 1.0;
  for (int n = 13; n > 0; --n) {
    sum = 1.0 + sum * t / n;
  }
  return sum * power_of_two(whole);
}

/// log2(x) for normal x > 0; relative error below 2^-45, near 1 too.
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
  double sum = 0.0;
  for (int n = 21; n > 0; n -= 2) {
    sum = sum * square + 1.0 / n;
  }
  return exponent + 2.88539008177792681472 * s * sum;  // 2 / ln 2
}

/// sin and cos for 0 <= x <= pi/4; error below 2^-50.
[[nodiscard]] constexpr double sin_of(double x) {
  const double square = x * x;
  double sum = 1.0;
  for (int n = 16; n > 0; n -= 2) {
    sum = 1.0 - sum * square / (n * (n + 1));
  }
  return x * sum;
}
[[nodiscard]] constexpr double cos_of(double x) {
  const double square = x * x;
  double sum = 1.0;
  for (int n = 16; n > 0; n -= 2) {
    sum = 1.0 - sum * square / (n * (n - 1));
  }
  return sum;
}

/// tanh(x) for x >= 0; relative error below 2^-40.
[[nodiscard]] constexpr double tanh_of(double x) {
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
