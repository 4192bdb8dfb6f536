// C = alpha A B + beta C, row-major and square: 16x16 tiles of A and B staged in shared memory, one thread per element
// of C. Elements outside the matrices are staged as zero, so any size works.
#include "heddle_cuda.h"

static const int kTile = 16;

extern "C" __global__ void __launch_bounds__(256)
    sgemm_tiled(const float* __restrict__ a, const float* __restrict__ b, float* c, int n, float alpha, float beta) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;

  float sum = 0.0f;
  for (int start = 0; start < n; start += kTile) {
    tile_a[ty][tx] = row < n && start + tx < n ? a[row * n + start + tx] : 0.0f;
    tile_b[ty][tx] = start + ty < n && column < n ? b[(start + ty) * n + column] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) sum = fmaf(tile_a[ty][k], tile_b[k][tx], sum);
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = fmaf(alpha, sum, beta * c[row * n + column]);
}
