// libm for device code: our own, because clang without a CUDA toolkit has none.
//
// Also compiles as host C++ (everything lives in namespace heddle_math), which is how its accuracy is tested.
// Largest error seen there over a million arguments per function (half of them any bit pattern, half ordinary sizes),
// in units in the last place of the result; tests/workloads/device_math_test.cpp repeats the measurement:
//   expf 1.1, logf 0.9, powf 0.51, exp2f 0.51, log2f 0.51, log10f 0.51, sinf 1.5, cosf 1.5, tanf 2.9, tanhf 1.9,
//   exp 1.0, log 0.6, pow 4.0 (|y| up to 200; 1.2 for |y| up to 5), sin 2.4, cos 2.3, tan 3.7.
// fmod and fmodf are exact. Subnormals are kept. powf, log2f, log10f, exp2f and fmodf compute in double.
#pragma once

#if defined(__clang__) && defined(__CUDA__)
#define HEDDLE_MATH HEDDLE_DEVICE
#define HEDDLE_MATH_TABLE static __attribute__((constant)) const
#else
#define HEDDLE_MATH [[maybe_unused]] static inline
#define HEDDLE_MATH_TABLE [[maybe_unused]] static const
#endif

#include "heddle_math_double.h"

namespace heddle_math {

HEDDLE_MATH float expf(float x) {
  if (x != x) return x;
  if (x > 88.7228394f) return __builtin_huge_valf();
  if (x < -103.972084f) return 0.0f;
  const float n = __builtin_rintf(x * 1.44269504f);
  float r = __builtin_fmaf(n, -0x1.62e400p-1f, x);
  r = __builtin_fmaf(n, -0x1.7f7d1cp-20f, r);
  float p = 1.0f / 5040.0f;
  p = __builtin_fmaf(p, r, 1.0f / 720.0f);
  p = __builtin_fmaf(p, r, 1.0f / 120.0f);
  p = __builtin_fmaf(p, r, 1.0f / 24.0f);
  p = __builtin_fmaf(p, r, 1.0f / 6.0f);
  p = __builtin_fmaf(p, r, 0.5f);
  p = __builtin_fmaf(p * r, r, r);
  const int exponent = (int)n, half = exponent / 2;
  const float a = __builtin_bit_cast(float, (unsigned)(half + 127) << 23);
  const float b = __builtin_bit_cast(float, (unsigned)(exponent - half + 127) << 23);
  return (1.0f + p) * a * b;
}

HEDDLE_MATH float logf(float x) {
  if (x != x || x == __builtin_huge_valf()) return x;
  if (x == 0.0f) return -__builtin_huge_valf();
  if (x < 0.0f) return __builtin_nanf("");
  int exponent = 0;
  if (x < 0x1p-126f) {
    x *= 0x1p24f;
    exponent = -24;
  }
  unsigned bits = __builtin_bit_cast(unsigned, x);
  exponent += (int)(bits >> 23) - 127;
  float m = __builtin_bit_cast(float, (bits & 0x007fffffu) | 0x3f800000u);
  if (m > 1.41421356f) {
    m *= 0.5f;
    exponent += 1;
  }
  // log(1+f) = f - (f^2/2 - s (f^2/2 + R)), s = f / (2+f): the large term f is exact.
  const float f = m - 1.0f, s = f / (2.0f + f), z = s * s;
  float p = 2.0f / 11.0f;
  p = __builtin_fmaf(p, z, 2.0f / 9.0f);
  p = __builtin_fmaf(p, z, 2.0f / 7.0f);
  p = __builtin_fmaf(p, z, 2.0f / 5.0f);
  p = __builtin_fmaf(p, z, 2.0f / 3.0f);
  const float half_square = 0.5f * f * f, n = (float)exponent;
  const float correction = half_square - __builtin_fmaf(s, half_square + p * z, n * 0x1.7f7d1cp-20f);
  return __builtin_fmaf(n, 0x1.62e400p-1f, f - correction);
}

HEDDLE_MATH float powf(float x, float y) { return (float)pow((double)x, (double)y); }
HEDDLE_MATH float fmodf(float x, float y) { return (float)fmod((double)x, (double)y); }
HEDDLE_MATH float exp2f(float x) { return (float)exp((double)x * 0.69314718055994531); }
HEDDLE_MATH float log2f(float x) { return (float)(log((double)x) * 1.4426950408889634); }
HEDDLE_MATH float log10f(float x) { return (float)(log((double)x) * 0.43429448190325183); }
HEDDLE_MATH double exp2(double x) { return exp_of(x * 0.69314718055994531, 0.0); }
HEDDLE_MATH double log2(double x) { return log(x) * 1.4426950408889634; }
HEDDLE_MATH double log10(double x) { return log(x) * 0.43429448190325183; }

struct ReducedFloat {
  float remainder;
  int quadrant;
};

HEDDLE_MATH ReducedFloat reduce(float x) {
  if (__builtin_fabsf(x) > 0x1p16f) {
    const Reduced a = reduce((double)x);
    return {(float)a.remainder, a.quadrant};
  }
  const float n = __builtin_rintf(x * 0.636619772f);
  float r = __builtin_fmaf(n, -0x1.921fb6p+0f, x);
  r = __builtin_fmaf(n, 0x1.777a5cp-25f, r);
  r = __builtin_fmaf(n, 0x1.ee59dap-50f, r);
  return {r, (int)n & 3};
}

HEDDLE_MATH float sin_small(float r) {
  const float z = r * r;
  float p = 1.0f / 362880.0f;
  p = __builtin_fmaf(p, z, -1.0f / 5040.0f);
  p = __builtin_fmaf(p, z, 1.0f / 120.0f);
  p = __builtin_fmaf(p, z, -1.0f / 6.0f);
  return __builtin_fmaf(p * z, r, r);
}

HEDDLE_MATH float cos_small(float r) {
  const float z = r * r;
  float p = -1.0f / 3628800.0f;
  p = __builtin_fmaf(p, z, 1.0f / 40320.0f);
  p = __builtin_fmaf(p, z, -1.0f / 720.0f);
  p = __builtin_fmaf(p, z, 1.0f / 24.0f);
  p = __builtin_fmaf(p, z, -0.5f);
  return __builtin_fmaf(p, z, 1.0f);
}

HEDDLE_MATH float sinf(float x) {
  if (!(__builtin_fabsf(x) < __builtin_huge_valf())) return x - x;
  if (__builtin_fabsf(x) < 0x1p-12f) return x;  // keeps the sign of zero
  const ReducedFloat a = reduce(x);
  const float r = (a.quadrant & 1) != 0 ? cos_small(a.remainder) : sin_small(a.remainder);
  return (a.quadrant & 2) != 0 ? -r : r;
}

HEDDLE_MATH float cosf(float x) {
  if (!(__builtin_fabsf(x) < __builtin_huge_valf())) return x - x;
  const ReducedFloat a = reduce(x);
  const float r = (a.quadrant & 1) != 0 ? sin_small(a.remainder) : cos_small(a.remainder);
  return ((a.quadrant + 1) & 2) != 0 ? -r : r;
}

HEDDLE_MATH float tanf(float x) {
  if (!(__builtin_fabsf(x) < __builtin_huge_valf())) return x - x;
  if (__builtin_fabsf(x) < 0x1p-12f) return x;
  const ReducedFloat a = reduce(x);
  const float s = sin_small(a.remainder), c = cos_small(a.remainder);
  return (a.quadrant & 1) != 0 ? -c / s : s / c;
}

HEDDLE_MATH float tanhf(float x) {
  const float ax = __builtin_fabsf(x);
  if (ax < 0.45f) {
    const float z = x * x;
    float p = 21844.0f / 6081075.0f;
    p = __builtin_fmaf(p, z, -1382.0f / 155925.0f);
    p = __builtin_fmaf(p, z, 62.0f / 2835.0f);
    p = __builtin_fmaf(p, z, -17.0f / 315.0f);
    p = __builtin_fmaf(p, z, 2.0f / 15.0f);
    p = __builtin_fmaf(p, z, -1.0f / 3.0f);
    return __builtin_fmaf(p * z, x, x);
  }
  const float r = 1.0f - 2.0f / (expf(2.0f * ax) + 1.0f);
  return x < 0.0f ? -r : r;
}

}  // namespace heddle_math

#if defined(__clang__) && defined(__CUDA__)

#define HEDDLE_MATH_1(name)                                               \
  HEDDLE_DEVICE float name##f(float x) { return __builtin_##name##f(x); } \
  HEDDLE_DEVICE double name(double x) { return __builtin_##name(x); }     \
  HEDDLE_DEVICE float name(float x) { return __builtin_##name##f(x); }
#define HEDDLE_MATH_2(name)                                                           \
  HEDDLE_DEVICE float name##f(float x, float y) { return __builtin_##name##f(x, y); } \
  HEDDLE_DEVICE double name(double x, double y) { return __builtin_##name(x, y); }    \
  HEDDLE_DEVICE float name(float x, float y) { return __builtin_##name##f(x, y); }
HEDDLE_MATH_1(sqrt)
HEDDLE_MATH_1(fabs)
HEDDLE_MATH_1(floor)
HEDDLE_MATH_1(ceil)
HEDDLE_MATH_1(trunc)
HEDDLE_MATH_1(rint)
HEDDLE_MATH_1(round)
HEDDLE_MATH_2(fmin)
HEDDLE_MATH_2(fmax)
HEDDLE_MATH_2(copysign)
#undef HEDDLE_MATH_1
#undef HEDDLE_MATH_2
HEDDLE_DEVICE float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
HEDDLE_DEVICE double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
HEDDLE_DEVICE bool isnan(double x) { return x != x; }
HEDDLE_DEVICE bool isinf(double x) { return __builtin_fabs(x) == __builtin_huge_val(); }
HEDDLE_DEVICE bool isfinite(double x) { return __builtin_fabs(x) < __builtin_huge_val(); }

// The C names, and the C++ overloads for float that CUDA programs rely on.
using heddle_math::exp, heddle_math::log, heddle_math::pow, heddle_math::sin, heddle_math::cos, heddle_math::tan;
using heddle_math::exp2, heddle_math::log2, heddle_math::log10, heddle_math::fmod, heddle_math::fmodf;
using heddle_math::expf, heddle_math::logf, heddle_math::powf, heddle_math::sinf, heddle_math::cosf;
using heddle_math::tanf, heddle_math::tanhf, heddle_math::exp2f, heddle_math::log2f, heddle_math::log10f;
HEDDLE_DEVICE float fmod(float x, float y) { return fmodf(x, y); }
HEDDLE_DEVICE float exp(float x) { return expf(x); }
HEDDLE_DEVICE float log(float x) { return logf(x); }
HEDDLE_DEVICE float pow(float x, float y) { return powf(x, y); }
HEDDLE_DEVICE float sin(float x) { return sinf(x); }
HEDDLE_DEVICE float cos(float x) { return cosf(x); }
HEDDLE_DEVICE float tan(float x) { return tanf(x); }
HEDDLE_DEVICE void sincosf(float x, float* s, float* c) {
  *s = sinf(x);
  *c = cosf(x);
}

#endif
