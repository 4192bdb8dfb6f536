// European options by the Black-Scholes formula (Black and Scholes, 1973), one option per thread and step: three arrays
// are read and two written once, coalesced. The normal distribution is the five-term polynomial of Abramowitz and
// Stegun, 26.2.17.
#include "heddle_cuda.h"

__device__ __forceinline__ float normal_distribution(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float poly =
      k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.39894228f * expf(-0.5f * d * d) * poly;
  return d > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void __launch_bounds__(128)
    black_scholes(float* __restrict__ call, float* __restrict__ put, const float* __restrict__ price,
                  const float* __restrict__ strike, const float* __restrict__ years, float rate, float volatility,
                  unsigned options) {
  const unsigned stride = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < options; i += stride) {
    const float s = price[i], x = strike[i], t = years[i];
    const float root = sqrtf(t);
    const float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    const float d2 = d1 - volatility * root;
    const float n1 = normal_distribution(d1), n2 = normal_distribution(d2);
    const float discounted = x * expf(-rate * t);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
  }
}
