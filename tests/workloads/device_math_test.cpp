// The accuracy that heddle_math.h states, measured on the host against the long double library.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "ulp.h"
#include "workloads/common/random.h"
#include "workloads/cuda/heddle_math.h"

namespace heddle::workloads {
namespace {

/// Half of the arguments are ordinary, half are any finite bit pattern.
template <typename T>
T argument(Random& random, T low, T high) {
  if (random.below(2) == 0) {
    return low + (high - low) * static_cast<T>(static_cast<double>(random.next() >> 11) * 0x1p-53);
  }
  for (;;) {
    T value;
    if constexpr (sizeof(T) == 4) {
      value = std::bit_cast<T>(static_cast<std::uint32_t>(random.next()));
    } else {
      value = std::bit_cast<T>(random.next());
    }
    if (std::isfinite(value)) return value;
  }
}

template <typename T, typename Function, typename Exact>
void expect_accuracy(const char* name, T low, T high, double limit, Function function, Exact exact) {
  Random random(11);
  double worst = 0;
  T where = 0;
  for (int i = 0; i < 100'000; ++i) {
    const T x = argument(random, low, high);
    const double error = ulp_error(function(x), exact(static_cast<long double>(x)));
    if (error > worst) {
      worst = error;
      where = x;
    }
  }
  EXPECT_LE(worst, limit) << name << "(" << where << ")";
}

#define EXPECT_ACCURACY(T, name, exact, low, high, limit) \
  expect_accuracy<T>(                                     \
      #name, low, high, limit, [](T x) { return heddle_math::name(x); }, [](long double x) { return std::exact(x); })

TEST(DeviceMath, FloatFunctionsKeepTheirAccuracy) {
  EXPECT_ACCURACY(float, expf, exp, -104.0f, 89.0f, 1.1);
  EXPECT_ACCURACY(float, logf, log, 0.0f, 10.0f, 0.9);
  EXPECT_ACCURACY(float, logf, log, 0.7f, 1.4f, 0.9);
  EXPECT_ACCURACY(float, exp2f, exp2, -150.0f, 130.0f, 0.51);
  EXPECT_ACCURACY(float, log2f, log2, 0.0f, 10.0f, 0.51);
  EXPECT_ACCURACY(float, log10f, log10, 0.0f, 10.0f, 0.51);
  EXPECT_ACCURACY(float, sinf, sin, -100.0f, 100.0f, 1.5);
  EXPECT_ACCURACY(float, cosf, cos, -100.0f, 100.0f, 1.5);
  EXPECT_ACCURACY(float, cosf, cos, -70000.0f, 70000.0f, 1.5);
  EXPECT_ACCURACY(float, tanf, tan, -100.0f, 100.0f, 2.9);
  EXPECT_ACCURACY(float, tanhf, tanh, -5.0f, 5.0f, 1.9);
}

TEST(DeviceMath, DoubleFunctionsKeepTheirAccuracy) {
  EXPECT_ACCURACY(double, exp, exp, -745.0, 710.0, 1.0);
  EXPECT_ACCURACY(double, log, log, 0.0, 10.0, 0.6);
  EXPECT_ACCURACY(double, sin, sin, -100.0, 100.0, 2.4);
  EXPECT_ACCURACY(double, cos, cos, -1.1e6, 1.1e6, 2.4);
  EXPECT_ACCURACY(double, tan, tan, -100.0, 100.0, 3.7);
}

TEST(DeviceMath, PowersKeepTheirAccuracy) {
  Random random(12);
  double worst_float = 0;
  double worst_double = 0;
  for (int i = 0; i < 100'000; ++i) {
    const float x = argument(random, 0.0f, 20.0f), y = argument(random, -30.0f, 30.0f);
    worst_float = std::max(worst_float, ulp_error(heddle_math::powf(x, y), std::pow((long double)x, (long double)y)));
    const double u = argument(random, 0.0, 20.0), v = -200.0 + 400.0 * static_cast<double>(random.uniform());
    worst_double = std::max(worst_double, ulp_error(heddle_math::pow(u, v), std::pow((long double)u, (long double)v)));
  }
  EXPECT_LE(worst_float, 0.51);
  EXPECT_LE(worst_double, 4.0);
}

TEST(DeviceMath, RemaindersAreExact) {
  Random random(13);
  for (int i = 0; i < 20'000; ++i) {
    const double x = argument(random, -1e6, 1e6), y = argument(random, -10.0, 10.0);
    EXPECT_EQ(heddle_math::fmod(x, y), std::fmod(x, y)) << x << ", " << y;
    const float u = argument(random, -1e6f, 1e6f), v = argument(random, -10.0f, 10.0f);
    EXPECT_EQ(heddle_math::fmodf(u, v), std::fmod(u, v)) << u << ", " << v;
  }
}

TEST(DeviceMath, SpecialArgumentsGiveWhatTheCStandardSays) {
  const double inf = HUGE_VAL;
  EXPECT_EQ(heddle_math::exp(-inf), 0.0);
  EXPECT_EQ(heddle_math::log(0.0), -inf);
  EXPECT_TRUE(std::isnan(heddle_math::log(-1.0)));
  EXPECT_TRUE(std::isnan(heddle_math::sin(inf)));
  EXPECT_TRUE(std::signbit(heddle_math::sin(-0.0)));
  EXPECT_EQ(heddle_math::tanhf(HUGE_VALF), 1.0f);
  for (const double x : {-inf, -2.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.0, inf}) {
    for (const double y : {-inf, -3.0, -2.0, -0.5, 0.0, 0.5, 2.0, 3.0, inf}) {
      EXPECT_LE(ulp_error(heddle_math::pow(x, y), std::pow((long double)x, (long double)y)), 1.0) << x << " to " << y;
    }
  }
}

}  // namespace
}  // namespace heddle::workloads
