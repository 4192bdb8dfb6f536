// C = alpha A B + beta C, as PolyBench has it: one thread per element; the lanes of a warp read one word of
// A and neighbouring words of B.
// The sum is kept in memory and stored after every step, as the benchmark's source has it: no __restrict__ here.
#include "heddle_cuda.h"

extern "C" __global__ void __launch_bounds__(256)
    gemm(const float* a, const float* b, float* c, float alpha, float beta, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  c[i * n + j] *= beta;
  const float* down = b + j;
#pragma unroll 4  // as nvcc does to loops whose length it does not know
  for (int k = 0; k < n; ++k, down += n) c[i * n + j] = fmaf(alpha * a[i * n + k], *down, c[i * n + j]);
}
