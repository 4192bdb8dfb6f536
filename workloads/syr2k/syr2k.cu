// Symmetric rank-2k update C = alpha (A transpose(B) + B transpose(A)) + beta C, as PolyBench has it: the lanes of a
// warp read A and B a row apart. The sum is kept in memory and stored after every step, as the benchmark's source has
// it: no __restrict__ here.
#include "heddle_cuda.h"

extern "C" __global__ void __launch_bounds__(256)
    syr2k(const float* a, const float* b, float* c, float alpha, float beta, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  c[i * n + j] *= beta;
#pragma unroll 4  // as nvcc does to loops whose length it does not know
  for (int k = 0; k < n; ++k) {
    const float first = fmaf(alpha * a[i * n + k], b[j * n + k], c[i * n + j]);
    c[i * n + j] = fmaf(alpha * b[i * n + k], a[j * n + k], first);
  }
}
