// Matrix multiplication with tiles in registers (Volkov and Demmel, SC 2008), the form that Parboil's sgemm has: a
// thread keeps sixteen results of one row, A is column-major so that neighbouring threads read neighbouring words, and
// a tile of 8 x 16 of B lies in shared memory, read by all threads at once.
#include "heddle_cuda.h"

static const int kTileN = 16;   // results per thread
static const int kTileK = 8;    // rows of B in shared memory
static const int kTileM = 128;  // threads of a block

// c (m x n, column-major) = a (m x k, column-major) * b (k x n, row-major)
extern "C" __global__ void __launch_bounds__(128)
    matmul_registers(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n,
                     int k) {
  __shared__ float tile[kTileK][kTileN];
  const int id = threadIdx.y * kTileN + threadIdx.x;
  const int row = blockIdx.x * kTileM + id, column = blockIdx.y * kTileN;
  float sums[kTileN];
#pragma unroll
  for (int j = 0; j < kTileN; ++j) sums[j] = 0.0f;
  for (int i = 0; i < k; i += kTileK) {
    tile[threadIdx.y][threadIdx.x] = b[(i + threadIdx.y) * n + column + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int s = 0; s < kTileK; ++s) {
      const float factor = a[row + (i + s) * m];
#pragma unroll
      for (int j = 0; j < kTileN; ++j) sums[j] = fmaf(factor, tile[s][j], sums[j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < kTileN; ++j) c[row + (column + j) * m] = sums[j];
}
