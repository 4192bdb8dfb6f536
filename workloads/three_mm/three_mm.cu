// Three matrix products, the third of the results of the others, as PolyBench has it: one thread per element; the lanes
// of a warp read one word of A and neighbouring words of B. The sum is kept in memory and stored after every step, as
// the benchmark's source has it: no __restrict__ here.
#include "heddle_cuda.h"

__device__ __forceinline__ void multiply(const float* a, const float* b, float* c, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  c[i * n + j] = 0.0f;
#pragma unroll 4  // as nvcc does to loops whose length it does not know
  for (int k = 0; k < n; ++k) c[i * n + j] = fmaf(a[i * n + k], b[k * n + j], c[i * n + j]);
}

extern "C" __global__ void __launch_bounds__(256) three_mm_first(const float* a, const float* b, float* c, int n) {
  multiply(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(256) three_mm_second(const float* a, const float* b, float* c, int n) {
  multiply(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(256) three_mm_third(const float* a, const float* b, float* c, int n) {
  multiply(a, b, c, n);
}
