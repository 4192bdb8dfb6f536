// Dependent multiply-adds and almost nothing else: the arithmetic pipelines at their limit.
#include "heddle_cuda.h"

// `rounds` times 32 dependent multiply-adds per thread; threads share 1024 starting values.
extern "C" __global__ void fma_chain(const float* start, unsigned threads, unsigned rounds, float a, float b,
                                     float* end) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  float x = start[t % 1024];
  for (unsigned r = 0; r < rounds; ++r) {
#pragma unroll
    for (int i = 0; i < 32; ++i) x = fmaf(x, a, b);
  }
  end[t] = x;
}
