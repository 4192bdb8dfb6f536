// y = transpose(A) (A x), as PolyBench has it: the first kernel gives a thread a row (lanes are a row apart), the
// second a column (lanes are neighbours). The sum is kept in memory and stored after every step, as the benchmark's
// source has it: no __restrict__ here.
#include "heddle_cuda.h"

extern "C" __global__ void __launch_bounds__(256) atax_rows(const float* a, const float* x, float* tmp, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#pragma unroll 4  // as nvcc does to loops whose length it does not know
  for (int j = 0; j < n; ++j) tmp[i] = fmaf(a[i * n + j], x[j], tmp[i]);
}

extern "C" __global__ void __launch_bounds__(256) atax_columns(const float* a, const float* tmp, float* y, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n) return;
  const float* down = a + j;
#pragma unroll 4  // as nvcc does to loops whose length it does not know
  for (int i = 0; i < n; ++i, down += n) y[j] = fmaf(*down, tmp[i], y[j]);
}
