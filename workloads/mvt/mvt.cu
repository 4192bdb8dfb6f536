// Matrix times vector and transposed matrix times vector, as PolyBench has them: the first kernel gives a thread a row
// (lanes are a row apart), the second a column (lanes are neighbours).
// The sum is kept in memory and stored after every step, as the benchmark's source has it: no __restrict__ here.
#include "heddle_cuda.h"

extern "C" __global__ void __launch_bounds__(256) mvt_rows(const float* a, const float* y1, float* x1, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#pragma unroll 4  // as nvcc does to loops whose length it does not know
  for (int j = 0; j < n; ++j) x1[i] = fmaf(a[i * n + j], y1[j], x1[i]);
}

extern "C" __global__ void __launch_bounds__(256) mvt_columns(const float* a, const float* y2, float* x2, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n) return;
  const float* down = a + j;
#pragma unroll 4  // as nvcc does to loops whose length it does not know
  for (int i = 0; i < n; ++i, down += n) x2[j] = fmaf(*down, y2[i], x2[j]);
}
