// Jacobi 7-point stencil: blocks of 32x4 threads, two points per thread along x, march along z. The points below, at
// and above are in registers, the current plane's part in shared memory; only points at its rim read neighbours from
// memory.
#include "heddle_cuda.h"

static const int kBlockX = 32, kBlockY = 4;
static const int kWidth = 2 * kBlockX;

extern "C" __global__ void __launch_bounds__(128)
    stencil_step(float c0, float c1, const float* __restrict__ from, float* __restrict__ to, int nx, int ny, int nz) {
  __shared__ float tile[kBlockY][kWidth];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int y = blockIdx.y * kBlockY + ty;
  const int plane = nx * ny;
  int x[2];
  bool inside[2], inner[2];
  float below[2], here[2], above[2];
#pragma unroll
  for (int p = 0; p < 2; ++p) {
    x[p] = blockIdx.x * kWidth + tx + p * kBlockX;
    inside[p] = x[p] < nx && y < ny;
    inner[p] = x[p] > 0 && x[p] < nx - 1 && y > 0 && y < ny - 1;
    below[p] = inside[p] ? from[y * nx + x[p]] : 0.0f;
    here[p] = inside[p] ? from[plane + y * nx + x[p]] : 0.0f;
    above[p] = 0.0f;
  }
  for (int z = 1; z < nz - 1; ++z) {
    const float* now = from + z * plane + y * nx;
#pragma unroll
    for (int p = 0; p < 2; ++p) {
      tile[ty][tx + p * kBlockX] = here[p];
      if (inside[p]) above[p] = now[plane + x[p]];
    }
    __syncthreads();
#pragma unroll
    for (int p = 0; p < 2; ++p) {
      const int at = tx + p * kBlockX;
      if (inner[p]) {
        const float west = at > 0 ? tile[ty][at - 1] : now[x[p] - 1];
        const float east = at < kWidth - 1 ? tile[ty][at + 1] : now[x[p] + 1];
        const float north = ty > 0 ? tile[ty - 1][at] : now[x[p] - nx];
        const float south = ty < kBlockY - 1 ? tile[ty + 1][at] : now[x[p] + nx];
        to[z * plane + y * nx + x[p]] = fmaf(c1, above[p] + below[p] + south + north + east + west, -c0 * here[p]);
      }
      below[p] = here[p];
      here[p] = above[p];
    }
    __syncthreads();
  }
}
