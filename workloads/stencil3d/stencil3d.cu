// Finite differences of eighth order in space, the 25-point star of reverse-time migration (Micikevicius, GPGPU 2009):
// 16x16 threads march along z, the nine values of the column in registers, the current plane with a halo of four in
// shared memory.
#include "heddle_cuda.h"

static const int kRadius = 4;
static const int kTile = 16;

__constant__ float stencil3d_weights[kRadius + 1];

// The arrays have a border of kRadius on each side; `pitch` and `plane` are the distances of rows and planes.
extern "C" __global__ void __launch_bounds__(256)
    stencil3d_step(float* __restrict__ out, const float* __restrict__ in, int n, int pitch, int plane) {
  __shared__ float tile[kTile + 2 * kRadius][kTile + 2 * kRadius];
  const int tx = threadIdx.x + kRadius, ty = threadIdx.y + kRadius;
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  int at = (y + kRadius) * pitch + x + kRadius;  // in the plane before the first one that is computed
  float column[2 * kRadius + 1];
#pragma unroll
  for (int i = 1; i <= 2 * kRadius; ++i) column[i] = in[at + (i - 1) * plane];
  at += (kRadius - 1) * plane;
  for (int z = 0; z < n; ++z) {
#pragma unroll
    for (int i = 0; i < 2 * kRadius; ++i) column[i] = column[i + 1];
    at += plane;
    column[2 * kRadius] = in[at + kRadius * plane];
    __syncthreads();
    if (threadIdx.y < kRadius) {
      tile[threadIdx.y][tx] = in[at - kRadius * pitch];
      tile[ty + kTile][tx] = in[at + kTile * pitch];
    }
    if (threadIdx.x < kRadius) {
      tile[ty][threadIdx.x] = in[at - kRadius];
      tile[ty][tx + kTile] = in[at + kTile];
    }
    tile[ty][tx] = column[kRadius];
    __syncthreads();
    float value = stencil3d_weights[0] * column[kRadius];
#pragma unroll
    for (int i = 1; i <= kRadius; ++i) {
      const float ring = column[kRadius - i] + column[kRadius + i] + tile[ty - i][tx] + tile[ty + i][tx] +
                         tile[ty][tx - i] + tile[ty][tx + i];
      value = fmaf(stencil3d_weights[i], ring, value);
    }
    if (x < n && y < n) out[at] = value;
  }
}
