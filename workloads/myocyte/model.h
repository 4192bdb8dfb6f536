// The heart muscle cell of myocyte: the membrane currents of Luo and Rudy's first model (Circulation Research 1991; 8
// variables) and, in each of three compartments, calmodulin that binds calcium in two steps and a buffer (6 variables
// each, mass action). Written once for both sides: Real is float on the GPU and double in the check, which so tests the
// machine, not the physiology; tests/workloads/reference_test.cpp tests that the cell rests and fires as it should.
#pragma once

#if defined(__CUDA__) || defined(__CUDACC__)
#define HEDDLE_BOTH_SIDES __device__ static inline
#else
#include <cmath>
#define HEDDLE_BOTH_SIDES static inline
#endif

namespace myocyte_model {

static const int kMembrane = 8;
static const int kCompartments = 3;
static const int kPerCompartment = 6;
static const int kVariables = kMembrane + kCompartments * kPerCompartment;
static const int kParameters = 4;  // stimulus, its end, potassium outside, calmodulin rate

#if defined(__CUDA__) || defined(__CUDACC__)
__device__ static inline float exponential(float x) { return expf(x); }
__device__ static inline float logarithm(float x) { return logf(x); }
__device__ static inline float root(float x) { return sqrtf(x); }
#else
static inline double exponential(double x) { return std::exp(x); }
static inline double logarithm(double x) { return std::log(x); }
static inline double root(double x) { return std::sqrt(x); }
#endif

// A gate that opens at rate a and closes at rate b.
template <typename Real>
HEDDLE_BOTH_SIDES Real gate(Real a, Real b, Real open) {
  return a * (Real(1) - open) - b * open;
}

// a * v / (1 - exp(-v / b)), which is a * b where v is 0.
template <typename Real>
HEDDLE_BOTH_SIDES Real linear_rate(Real a, Real b, Real v) {
  return v * v < Real(1e-8) ? a * b : a * v / (Real(1) - exponential(-v / b));
}

// Variables: voltage, m, h, j, d, f, x, calcium. The result's first is the change of the voltage.
template <typename Real>
HEDDLE_BOTH_SIDES void membrane(const Real* y, const Real* parameters, Real time, Real* change) {
  const Real v = y[0], calcium = y[7];
  Real alpha_h = Real(0), alpha_j = Real(0), beta_h, beta_j;
  if (v >= Real(-40)) {
    beta_h = Real(1) / (Real(0.13) * (Real(1) + exponential((v + Real(10.66)) / Real(-11.1))));
    beta_j = Real(0.3) * exponential(Real(-2.535e-7) * v) / (Real(1) + exponential(Real(-0.1) * (v + Real(32))));
  } else {
    alpha_h = Real(0.135) * exponential((Real(80) + v) / Real(-6.8));
    beta_h = Real(3.56) * exponential(Real(0.079) * v) + Real(3.1e5) * exponential(Real(0.35) * v);
    alpha_j = (Real(-1.2714e5) * exponential(Real(0.2444) * v) - Real(3.474e-5) * exponential(Real(-0.04391) * v)) *
              (v + Real(37.78)) / (Real(1) + exponential(Real(0.311) * (v + Real(79.23))));
    beta_j =
        Real(0.1212) * exponential(Real(-0.01052) * v) / (Real(1) + exponential(Real(-0.1378) * (v + Real(40.14))));
  }
  const Real sodium = Real(23) * y[1] * y[1] * y[1] * y[2] * y[3] * (v - Real(54.4));
  change[1] = gate(linear_rate(Real(0.32), Real(10), v + Real(47.13)), Real(0.08) * exponential(-v / Real(11)), y[1]);
  change[2] = gate(alpha_h, beta_h, y[2]);
  change[3] = gate(alpha_j, beta_j, y[3]);

  const Real slow_inward = Real(0.09) * y[4] * y[5] * (v - (Real(7.7) - Real(13.0287) * logarithm(calcium)));
  change[4] = gate(
      Real(0.095) * exponential(Real(-0.01) * (v - Real(5))) / (Real(1) + exponential(Real(-0.072) * (v - Real(5)))),
      Real(0.07) * exponential(Real(-0.017) * (v + Real(44))) / (Real(1) + exponential(Real(0.05) * (v + Real(44)))),
      y[4]);
  change[5] = gate(
      Real(0.012) * exponential(Real(-0.008) * (v + Real(28))) / (Real(1) + exponential(Real(0.15) * (v + Real(28)))),
      Real(0.0065) * exponential(Real(-0.02) * (v + Real(30))) / (Real(1) + exponential(Real(-0.2) * (v + Real(30)))),
      y[5]);
  change[7] = Real(-1e-4) * slow_inward + Real(0.07) * (Real(1e-4) - calcium);

  const Real above = v + Real(77);
  Real rectifier = Real(1);
  if (v > Real(-100)) {
    const Real ratio = above * above < Real(1e-8) ? Real(0.04) : (exponential(Real(0.04) * above) - Real(1)) / above;
    rectifier = Real(2.837) * ratio / exponential(Real(0.04) * (v + Real(35)));
  }
  const Real potassium = Real(0.282) * root(parameters[2] / Real(5.4)) * y[6] * rectifier * above;
  change[6] = gate(
      Real(0.0005) * exponential(Real(0.083) * (v + Real(50))) / (Real(1) + exponential(Real(0.057) * (v + Real(50)))),
      Real(0.0013) * exponential(Real(-0.06) * (v + Real(20))) / (Real(1) + exponential(Real(-0.04) * (v + Real(20)))),
      y[6]);
  const Real rest = v + Real(87.2);
  const Real alpha = Real(1.02) / (Real(1) + exponential(Real(0.2385) * (rest - Real(59.215))));
  const Real beta = (Real(0.49124) * exponential(Real(0.08032) * (rest + Real(5.476))) +
                     exponential(Real(0.06175) * (rest - Real(594.31)))) /
                    (Real(1) + exponential(Real(-0.5143) * (rest + Real(4.753))));
  const Real steady = Real(0.6047) * alpha / (alpha + beta) * rest;
  const Real plateau = Real(0.0183) / (Real(1) + exponential((Real(7.488) - v) / Real(5.98))) * rest;
  const Real background = Real(0.03921) * (v + Real(59.87));
  const Real stimulus = time < parameters[1] ? -parameters[0] : Real(0);
  change[0] = -(sodium + slow_inward + potassium + steady + plateau + background + stimulus);
}

// Calmodulin free, with two and with four calcium, and the same three bound to the buffer; amounts relative to all.
template <typename Real>
HEDDLE_BOTH_SIDES void calmodulin(const Real* y, Real calcium, Real rate, Real* change) {
  const Real first = rate * (calcium * Real(1000) * y[0] - Real(0.5) * y[1]);
  const Real second = rate * (calcium * Real(1000) * y[1] - Real(0.8) * y[2]);
  const Real first_bound = rate * (calcium * Real(1000) * y[3] - Real(0.25) * y[4]);
  const Real second_bound = rate * (calcium * Real(1000) * y[4] - Real(0.4) * y[5]);
  const Real free_buffer = Real(1) - (y[3] + y[4] + y[5]);
  const Real bind = Real(0.02) * y[0] * free_buffer - Real(0.04) * y[3];
  const Real bind_two = Real(0.02) * y[1] * free_buffer - Real(0.02) * y[4];
  const Real bind_four = Real(0.02) * y[2] * free_buffer - Real(0.01) * y[5];
  change[0] = -first - bind;
  change[1] = first - second - bind_two;
  change[2] = second - bind_four;
  change[3] = bind - first_bound;
  change[4] = bind_two + first_bound - second_bound;
  change[5] = bind_four + second_bound;
}

template <typename Real>
HEDDLE_BOTH_SIDES void derivatives(const Real* y, const Real* parameters, Real time, Real* change) {
  membrane(y, parameters, time, change);
  for (int c = 0; c < kCompartments; ++c) {
    // The nearer to the membrane, the more calcium: 4, 2 and 1 times the cell's.
    const Real calcium = y[7] * Real(4 >> c);
    const int at = kMembrane + c * kPerCompartment;
    calmodulin(y + at, calcium, parameters[3], change + at);
  }
}

}  // namespace myocyte_model
#undef HEDDLE_BOTH_SIDES
