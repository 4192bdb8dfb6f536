// Lattice-Boltzmann fluid with 19 velocities (Qian and others, 1992): one launch per time step, one thread per cell. A
// cell reads its 19 densities, relaxes them and pushes each to a neighbour: 19 streams are read aligned, most are
// written one cell off. Solid cells send densities back.
#include "heddle_cuda.h"

// number, direction, number of the opposite direction, weight
// clang-format off
#define LBM_DIRECTIONS(X) \
  X(0, 0, 0, 0, 0, 1.0f / 3.0f) \
  X(1, 1, 0, 0, 2, 1.0f / 18.0f) \
  X(2, -1, 0, 0, 1, 1.0f / 18.0f) \
  X(3, 0, 1, 0, 4, 1.0f / 18.0f) \
  X(4, 0, -1, 0, 3, 1.0f / 18.0f) \
  X(5, 0, 0, 1, 6, 1.0f / 18.0f) \
  X(6, 0, 0, -1, 5, 1.0f / 18.0f) \
  X(7, 1, 1, 0, 10, 1.0f / 36.0f) \
  X(8, -1, 1, 0, 9, 1.0f / 36.0f) \
  X(9, 1, -1, 0, 8, 1.0f / 36.0f) \
  X(10, -1, -1, 0, 7, 1.0f / 36.0f) \
  X(11, 1, 0, 1, 14, 1.0f / 36.0f) \
  X(12, 1, 0, -1, 13, 1.0f / 36.0f) \
  X(13, -1, 0, 1, 12, 1.0f / 36.0f) \
  X(14, -1, 0, -1, 11, 1.0f / 36.0f) \
  X(15, 0, 1, 1, 18, 1.0f / 36.0f) \
  X(16, 0, 1, -1, 17, 1.0f / 36.0f) \
  X(17, 0, -1, 1, 16, 1.0f / 36.0f) \
  X(18, 0, -1, -1, 15, 1.0f / 36.0f)
// clang-format on

// Densities lie one velocity after the other, `stride` cells each. Block: one row of cells.
extern "C" __global__ void lbm_step(const float* __restrict__ from, float* __restrict__ to,
                                    const unsigned char* __restrict__ solid, int row, int plane, int stride,
                                    float omega) {
  const int cell = threadIdx.x + blockIdx.x * row + blockIdx.y * plane;
#define LBM_LOAD(i, dx, dy, dz, opposite, weight) const float f##i = from[i * stride + cell];
  LBM_DIRECTIONS(LBM_LOAD)
  if (solid[cell]) {
#define LBM_BOUNCE(i, dx, dy, dz, opposite, weight) to[i * stride + cell + (dx) + (dy)*row + (dz)*plane] = f##opposite;
    LBM_DIRECTIONS(LBM_BOUNCE)
    return;
  }
  float density = 0.0f, ux = 0.0f, uy = 0.0f, uz = 0.0f;
#define LBM_SUM(i, dx, dy, dz, opposite, weight) \
  density += f##i;                               \
  if (dx != 0) ux += (dx)*f##i;                  \
  if (dy != 0) uy += (dy)*f##i;                  \
  if (dz != 0) uz += (dz)*f##i;
  LBM_DIRECTIONS(LBM_SUM)
  ux /= density;
  uy /= density;
  uz /= density;
  const float base = fmaf(-1.5f, fmaf(ux, ux, fmaf(uy, uy, uz * uz)), 1.0f);
#define LBM_PUSH(i, dx, dy, dz, opposite, weight)                                     \
  {                                                                                   \
    const float along = (dx)*ux + (dy)*uy + (dz)*uz;                                  \
    const float shape = fmaf(4.5f * along, along, fmaf(3.0f, along, base));           \
    const float change = fmaf((weight)*density, shape, -f##i);                        \
    to[i * stride + cell + (dx) + (dy)*row + (dz)*plane] = fmaf(omega, change, f##i); \
  }
  LBM_DIRECTIONS(LBM_PUSH)
}
