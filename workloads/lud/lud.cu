// LU decomposition in place as in Rodinia, in tiles of 16x16: per step one launch for the tile on the diagonal (one
// block of 16 threads), one for the tiles right of and below it (a block of 32 threads per pair of tiles: half of the
// warp works on the row, half on the column), one for the rest (a block of 256 threads per tile).
#include "heddle_cuda.h"

static const int kTile = 16;

// Both factors of the diagonal tile: thread i owns column i of a row step and row i of a column step.
extern "C" __global__ void lud_diagonal(float* matrix, int n, int offset) {
  __shared__ float tile[kTile][kTile];
  const int tx = threadIdx.x;
  float* corner = matrix + offset * n + offset;
  for (int i = 0; i < kTile; ++i) tile[i][tx] = corner[i * n + tx];
  __syncthreads();
  for (int i = 0; i < kTile - 1; ++i) {
    if (tx > i) {
      for (int j = 0; j < i; ++j) tile[tx][i] = fmaf(-tile[tx][j], tile[j][i], tile[tx][i]);
      tile[tx][i] /= tile[i][i];
    }
    __syncthreads();
    if (tx > i) {
      for (int j = 0; j < i + 1; ++j) tile[i + 1][tx] = fmaf(-tile[i + 1][j], tile[j][tx], tile[i + 1][tx]);
    }
    __syncthreads();
  }
  for (int i = 1; i < kTile; ++i) corner[i * n + tx] = tile[i][tx];  // row 0 does not change
}

extern "C" __global__ void lud_perimeter(float* matrix, int n, int offset) {
  __shared__ float diagonal[kTile][kTile];
  __shared__ float row[kTile][kTile];
  __shared__ float column[kTile][kTile];
  const bool works_on_row = threadIdx.x < kTile;
  const int lane = works_on_row ? threadIdx.x : threadIdx.x - kTile;
  const int distance = (blockIdx.x + 1) * kTile;
  const float* corner = matrix + offset * n + offset;
  float* row_tile = matrix + offset * n + offset + distance;
  float* column_tile = matrix + (offset + distance) * n + offset;
  const int half = works_on_row ? 0 : kTile / 2;
  for (int i = half; i < half + kTile / 2; ++i) diagonal[i][lane] = corner[i * n + lane];
  if (works_on_row) {
    for (int i = 0; i < kTile; ++i) row[i][lane] = row_tile[i * n + lane];
  } else {
    for (int i = 0; i < kTile; ++i) column[i][lane] = column_tile[i * n + lane];
  }
  __syncthreads();
  if (works_on_row) {
    for (int i = 1; i < kTile; ++i) {
      for (int j = 0; j < i; ++j) row[i][lane] = fmaf(-diagonal[i][j], row[j][lane], row[i][lane]);
    }
  } else {
    for (int i = 0; i < kTile; ++i) {
      for (int j = 0; j < i; ++j) column[lane][i] = fmaf(-column[lane][j], diagonal[j][i], column[lane][i]);
      column[lane][i] /= diagonal[i][i];
    }
  }
  __syncthreads();
  if (works_on_row) {
    for (int i = 1; i < kTile; ++i) row_tile[i * n + lane] = row[i][lane];
  } else {
    for (int i = 0; i < kTile; ++i) column_tile[i * n + lane] = column[i][lane];
  }
}

extern "C" __global__ void __launch_bounds__(kTile* kTile) lud_internal(float* matrix, int n, int offset) {
  __shared__ float row[kTile][kTile];
  __shared__ float column[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int y = offset + (blockIdx.y + 1) * kTile, x = offset + (blockIdx.x + 1) * kTile;
  row[ty][tx] = matrix[(offset + ty) * n + x + tx];
  column[ty][tx] = matrix[(y + ty) * n + offset + tx];
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < kTile; ++i) sum = fmaf(column[ty][i], row[i][tx], sum);
  matrix[(y + ty) * n + x + tx] -= sum;
}
