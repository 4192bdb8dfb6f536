// The two products of the biconjugate gradient method, as PolyBench has them: s = transpose(A) r with a column per
// thread (lanes are neighbours), q = A p with a row per thread (lanes are a row apart). The sum is kept in memory and
// stored after every step, as the benchmark's source has it: no __restrict__ here.
#include "heddle_cuda.h"

extern "C" __global__ void __launch_bounds__(256) bicg_columns(const float* a, const float* r, float* s, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n) return;
  const float* down = a + j;
#pragma unroll 4  // as nvcc does to loops whose length it does not know
  for (int i = 0; i < n; ++i, down += n) s[j] = fmaf(*down, r[i], s[j]);
}

extern "C" __global__ void __launch_bounds__(256) bicg_rows(const float* a, const float* p, float* q, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#pragma unroll 4  // as nvcc does to loops whose length it does not know
  for (int j = 0; j < n; ++j) q[i] = fmaf(a[i * n + j], p[j], q[i]);
}
