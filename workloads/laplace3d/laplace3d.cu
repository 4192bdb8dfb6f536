// Jacobi iteration for Laplace's equation in three dimensions: a block of 32x4 threads marches through all planes and
// keeps three of them, with a halo of one, in shared memory. Boundary points keep their value.
#include "heddle_cuda.h"

static const int kBlockX = 32, kBlockY = 4;
static const int kPlane = (kBlockX + 2) * (kBlockY + 2);

extern "C" __global__ void __launch_bounds__(128)
    laplace3d_step(int nx, int ny, int nz, int pitch, const float* __restrict__ from, float* __restrict__ to) {
  __shared__ float planes[3 * kPlane];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int left = blockIdx.x * kBlockX, top = blockIdx.y * kBlockY;
  const int x = left + tx, y = top + ty;
  const bool active = x < nx && y < ny;
  const int here = (tx + 1) + (ty + 1) * (kBlockX + 2);
  const int plane = pitch * ny;

  // The halo: 2 rows and 2 columns, brought in by the first 72 threads.
  const int id = tx + ty * kBlockX;
  int halo = -1, hx = 0, hy = 0;
  if (id < 2 * kBlockX) {
    hx = left + id % kBlockX;
    hy = id < kBlockX ? top - 1 : top + kBlockY;
    halo = (id % kBlockX + 1) + (id < kBlockX ? 0 : kBlockY + 1) * (kBlockX + 2);
  } else if (id < 2 * kBlockX + 2 * kBlockY) {
    const int row = (id - 2 * kBlockX) % kBlockY;
    const bool right = id >= 2 * kBlockX + kBlockY;
    hx = right ? left + kBlockX : left - 1;
    hy = top + row;
    halo = (right ? kBlockX + 1 : 0) + (row + 1) * (kBlockX + 2);
  }
  if (hx < 0 || hx >= nx || hy < 0 || hy >= ny) halo = -1;

  const int at = x + y * pitch, halo_at = hx + hy * pitch;
  int below = 0, middle = kPlane, above = 2 * kPlane;
  if (active) planes[above + here] = from[at];
  if (halo >= 0) planes[above + halo] = from[halo_at];
  for (int k = 0; k < nz; ++k) {
    const int free = below;
    below = middle;
    middle = above;
    above = free;
    if (k < nz - 1) {
      if (active) planes[above + here] = from[at + (k + 1) * plane];
      if (halo >= 0) planes[above + halo] = from[halo_at + (k + 1) * plane];
    }
    __syncthreads();
    if (active) {
      float value;
      if (x == 0 || x == nx - 1 || y == 0 || y == ny - 1 || k == 0 || k == nz - 1) {
        value = planes[middle + here];
      } else {
        value = (planes[middle + here - 1] + planes[middle + here + 1] + planes[middle + here - (kBlockX + 2)] +
                 planes[middle + here + (kBlockX + 2)] + planes[below + here] + planes[above + here]) *
                (1.0f / 6.0f);
      }
      to[at + k * plane] = value;
    }
    __syncthreads();
  }
}
