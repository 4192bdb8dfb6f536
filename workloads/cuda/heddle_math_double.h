// Double-precision exp, log, pow, sin, cos, tan, fmod. Part of heddle_math.h, which defines the macros and states
// accuracy.
//
// Method: exp splits off multiples of ln 2; log reduces to [sqrt(1/2), sqrt(2)) and uses the series of atanh; pow
// carries the logarithm as an unevaluated sum of two doubles; sin and cos subtract multiples of pi/2, in three
// pieces up to 2^20 and by Payne and Hanek's method (exact bits of 2/pi) above.
#pragma once

namespace heddle_math {

__extension__ typedef unsigned __int128 uint128;

struct Reduced {  // x = quadrant * pi/2 + remainder, |remainder| <= pi/4 (quadrant modulo 4)
  double remainder;
  int quadrant;
};
struct Sum {  // an unevaluated sum, |low| much smaller than |high|
  double high, low;
};

// 64 zero bits, then the first 1216 bits of 2/pi, most significant first.
HEDDLE_MATH_TABLE unsigned long long two_over_pi[20] = {
    0x0000000000000000u, 0xa2f9836e4e441529u, 0xfc2757d1f534ddc0u, 0xdb6295993c439041u, 0xfe5163abdebbc561u,
    0xb7246e3a424dd2e0u, 0x06492eea09d1921cu, 0xfe1deb1cb129a73eu, 0xe88235f52ebb4484u, 0xe99c7026b45f7e41u,
    0x3991d639835339f4u, 0x9c845f8bbdf9283bu, 0x1ff897ffde05980fu, 0xef2f118b5a0a6d1fu, 0x6d367ecf27cb09b7u,
    0x4f463f669e5fea2du, 0x7527bac7ebe5f17bu, 0x3d0739f78a5292eau, 0x6bfb5fb11f8d5d08u, 0x56033046fc7b6babu};

// x * 2^n for a result that may be subnormal: two exact factors, then one rounding.
HEDDLE_MATH double scale(double x, int n) {
  const int half = n / 2;
  const double a = __builtin_bit_cast(double, (unsigned long long)(half + 1023) << 52);
  const double b = __builtin_bit_cast(double, (unsigned long long)(n - half + 1023) << 52);
  return x * a * b;
}

// exp(high + low), |low| tiny.
HEDDLE_MATH double exp_of(double high, double low) {
  if (high != high) return high;
  if (high > 709.79) return __builtin_huge_val();
  if (high < -745.14) return 0.0;
  const double n = __builtin_rint(high * 1.4426950408889634);
  double r = __builtin_fma(n, -0x1.62e42fefa3800p-1, high);
  r = __builtin_fma(n, -0x1.ef35793c76730p-45, r) + low;
  double p = 1.0 / 6227020800.0;
  p = __builtin_fma(p, r, 1.0 / 479001600.0);
  p = __builtin_fma(p, r, 1.0 / 39916800.0);
  p = __builtin_fma(p, r, 1.0 / 3628800.0);
  p = __builtin_fma(p, r, 1.0 / 362880.0);
  p = __builtin_fma(p, r, 1.0 / 40320.0);
  p = __builtin_fma(p, r, 1.0 / 5040.0);
  p = __builtin_fma(p, r, 1.0 / 720.0);
  p = __builtin_fma(p, r, 1.0 / 120.0);
  p = __builtin_fma(p, r, 1.0 / 24.0);
  p = __builtin_fma(p, r, 1.0 / 6.0);
  p = __builtin_fma(p, r, 0.5);
  p = __builtin_fma(p * r, r, r);
  return scale(1.0 + p, (int)n);
}

// log(x) of a positive finite x.
HEDDLE_MATH Sum log_of(double x) {
  int exponent = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    exponent = -54;
  }
  unsigned long long bits = __builtin_bit_cast(unsigned long long, x);
  exponent += (int)(bits >> 52) - 1023;
  bits = (bits & 0x000fffffffffffffu) | 0x3ff0000000000000u;
  double m = __builtin_bit_cast(double, bits);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    exponent += 1;
  }
  const double f = m - 1.0, d = m + 1.0;
  const double d_low = m - (d - 1.0);
  const double s = f / d;
  const double s_low = (__builtin_fma(-s, d, f) - s * d_low) / d;
  const double z = s * s;
  double p = 2.0 / 25.0;
  p = __builtin_fma(p, z, 2.0 / 23.0);
  p = __builtin_fma(p, z, 2.0 / 21.0);
  p = __builtin_fma(p, z, 2.0 / 19.0);
  p = __builtin_fma(p, z, 2.0 / 17.0);
  p = __builtin_fma(p, z, 2.0 / 15.0);
  p = __builtin_fma(p, z, 2.0 / 13.0);
  p = __builtin_fma(p, z, 2.0 / 11.0);
  p = __builtin_fma(p, z, 2.0 / 9.0);
  p = __builtin_fma(p, z, 2.0 / 7.0);
  p = __builtin_fma(p, z, 2.0 / 5.0);
  p = __builtin_fma(p, z, 2.0 / 3.0);
  // n * (high part of ln 2) is exact, and larger than 2s whenever n is not zero: the sum's error is exact too.
  const double n = (double)exponent, a = n * 0x1.62e42fefa3800p-1, b = 2.0 * s;
  const double high = a + b;
  double low = n == 0.0 ? 0.0 : (a - high) + b;
  low += __builtin_fma(n, 0x1.ef35793c76730p-45, 2.0 * s_low) + p * z * s;
  // The series is not small against 2s: normalise, so that the low part stays below half a unit of the high one.
  const double sum = high + low;
  return {sum, (high - sum) + low};
}

HEDDLE_MATH double exp(double x) { return exp_of(x, 0.0); }

HEDDLE_MATH double log(double x) {
  if (x != x || x == __builtin_huge_val()) return x;
  if (x == 0.0) return -__builtin_huge_val();
  if (x < 0.0) return __builtin_nan("");
  const Sum r = log_of(x);
  return r.high + r.low;
}

HEDDLE_MATH double pow(double x, double y) {
  if (y == 0.0 || x == 1.0) return 1.0;
  if (x != x || y != y) return x + y;
  const double ax = __builtin_fabs(x), ay = __builtin_fabs(y), infinity = __builtin_huge_val();
  if (ay == infinity) return ax == 1.0 ? 1.0 : ((ax > 1.0) == (y > 0.0) ? infinity : 0.0);
  const bool whole = __builtin_trunc(y) == y;
  const bool odd = whole && ay < 0x1p53 && ((long long)ay & 1) != 0;
  if (x < 0.0 && !whole && ax != infinity) return __builtin_nan("");
  double r;
  if (ax == 0.0 || ax == infinity) {
    r = (ax == 0.0) == (y > 0.0) ? 0.0 : infinity;
  } else {
    const Sum logarithm = log_of(ax);
    const double high = y * logarithm.high;
    r = high > 800.0    ? infinity
        : high < -800.0 ? 0.0
                        : exp_of(high, __builtin_fma(y, logarithm.low, __builtin_fma(y, logarithm.high, -high)));
  }
  return odd && __builtin_signbit(x) ? -r : r;
}

// Payne and Hanek: bits of 2/pi that give multiples of 4 are skipped, 192 of the following ones suffice.
HEDDLE_MATH Reduced reduce_large(double x) {
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, x);
  const unsigned long long m = (bits & 0x000fffffffffffffu) | 0x0010000000000000u;
  const unsigned position = (unsigned)(bits >> 52 & 0x7ff) - 1075 + 62;
  const unsigned word = position / 64, shift = position % 64;
  unsigned long long w[3];
  for (unsigned i = 0; i < 3; ++i) {
    const unsigned long long next = word + i + 1 < 20 ? two_over_pi[word + i + 1] : 0;
    w[i] = shift == 0 ? two_over_pi[word + i] : two_over_pi[word + i] << shift | next >> (64 - shift);
  }
  const uint128 p0 = (uint128)m * w[2];
  const uint128 p1 = (uint128)m * w[1] + (unsigned long long)(p0 >> 64);
  const unsigned long long top = m * w[0] + (unsigned long long)(p1 >> 64);
  const unsigned long long middle = (unsigned long long)p1, bottom = (unsigned long long)p0;
  int quadrant = (int)(top >> 62);
  uint128 fraction = (uint128)(top << 2 | middle >> 62) << 64 | (middle << 2 | bottom >> 62);
  const bool round_up = (fraction >> 127) != 0;
  if (round_up) {
    quadrant += 1;
    fraction = 0 - fraction;
  }
  int leading = 0;
  while (leading < 126 && (fraction >> 127) == 0) {
    fraction <<= 1;
    ++leading;
  }
  double r = (double)(unsigned long long)(fraction >> 64) * 0x1p-64;
  r = r * __builtin_bit_cast(double, (unsigned long long)(1023 - leading) << 52) * 1.5707963267948966;
  const bool negative = (bits >> 63) != 0;
  return {round_up != negative ? -r : r, (negative ? -quadrant : quadrant) & 3};
}

HEDDLE_MATH Reduced reduce(double x) {
  if (__builtin_fabs(x) > 0x1p20) return reduce_large(x);
  const double n = __builtin_rint(x * 0.63661977236758138);
  const double r0 = __builtin_fma(n, -0x1.921fb54442d18p+0, x);
  const double r1 = __builtin_fma(n, -0x1.1a62633145c07p-54, r0);
  const double lost = __builtin_fma(n, -0x1.1a62633145c07p-54, r0 - r1);
  return {r1 + __builtin_fma(n, 0x1.f1976b7ed8fbcp-110, lost), (int)n & 3};
}

HEDDLE_MATH double sin_small(double r) {
  const double z = r * r;
  double p = 1.0 / 355687428096000.0;
  p = __builtin_fma(p, z, -1.0 / 1307674368000.0);
  p = __builtin_fma(p, z, 1.0 / 6227020800.0);
  p = __builtin_fma(p, z, -1.0 / 39916800.0);
  p = __builtin_fma(p, z, 1.0 / 362880.0);
  p = __builtin_fma(p, z, -1.0 / 5040.0);
  p = __builtin_fma(p, z, 1.0 / 120.0);
  p = __builtin_fma(p, z, -1.0 / 6.0);
  return __builtin_fma(p * z, r, r);
}

HEDDLE_MATH double cos_small(double r) {
  const double z = r * r;
  double p = 1.0 / 20922789888000.0;
  p = __builtin_fma(p, z, -1.0 / 87178291200.0);
  p = __builtin_fma(p, z, 1.0 / 479001600.0);
  p = __builtin_fma(p, z, -1.0 / 3628800.0);
  p = __builtin_fma(p, z, 1.0 / 40320.0);
  p = __builtin_fma(p, z, -1.0 / 720.0);
  p = __builtin_fma(p, z, 1.0 / 24.0);
  p = __builtin_fma(p, z, -0.5);
  return __builtin_fma(p, z, 1.0);
}

HEDDLE_MATH double sin(double x) {
  if (!(__builtin_fabs(x) < __builtin_huge_val())) return x - x;
  if (__builtin_fabs(x) < 0x1p-27) return x;  // keeps the sign of zero
  const Reduced a = reduce(x);
  const double r = (a.quadrant & 1) != 0 ? cos_small(a.remainder) : sin_small(a.remainder);
  return (a.quadrant & 2) != 0 ? -r : r;
}

HEDDLE_MATH double cos(double x) {
  if (!(__builtin_fabs(x) < __builtin_huge_val())) return x - x;
  const Reduced a = reduce(x);
  const double r = (a.quadrant & 1) != 0 ? sin_small(a.remainder) : cos_small(a.remainder);
  return ((a.quadrant + 1) & 2) != 0 ? -r : r;
}

HEDDLE_MATH double tan(double x) {
  if (!(__builtin_fabs(x) < __builtin_huge_val())) return x - x;
  if (__builtin_fabs(x) < 0x1p-27) return x;
  const Reduced a = reduce(x);
  const double s = sin_small(a.remainder), c = cos_small(a.remainder);
  return (a.quadrant & 1) != 0 ? -c / s : s / c;
}

// Exact, by binary long division: the back end's own remainder is x - trunc(x/y) y, wrong once x/y is large.
HEDDLE_MATH double fmod(double x, double y) {
  const double magnitude = __builtin_fabs(y);
  double r = __builtin_fabs(x);
  if (x != x || y != y || r == __builtin_huge_val() || y == 0.0) return __builtin_nan("");
  double multiple = magnitude;
  while (multiple <= 0.5 * r) multiple *= 2.0;
  for (; multiple >= magnitude && r >= magnitude; multiple *= 0.5) {
    if (r >= multiple) r -= multiple;
  }
  return __builtin_copysign(r, x);
}

}  // namespace heddle_math
