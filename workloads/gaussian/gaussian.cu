// Gaussian elimination as in Rodinia: two launches per column. `factors` is one thread per remaining row and reads down
// a column (a word of a line each). `update` is one thread per remaining element, in blocks of 4x4: threads next to
// each other in x are rows, so a warp's accesses lie a matrix row apart.
#include "heddle_cuda.h"

extern "C" __global__ void gaussian_factors(float* factors, const float* matrix, int n, int column) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n - 1 - column) return;
  const int row = i + column + 1;
  factors[n * row + column] = matrix[n * row + column] / matrix[n * column + column];
}

extern "C" __global__ void gaussian_update(const float* __restrict__ factors, float* matrix, float* right_side, int n,
                                           int column) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n - 1 - column || y >= n - column) return;
  const int row = x + column + 1;
  const float factor = factors[n * row + column];
  matrix[n * row + y + column] = fmaf(-factor, matrix[n * column + y + column], matrix[n * row + y + column]);
  if (y == 0) right_side[row] = fmaf(-factor, right_side[column], right_side[row]);
}
