// Needleman-Wunsch sequence alignment as in Rodinia. A cell needs its left, upper and upper-left neighbours, so 16x16
// tiles on one anti-diagonal of the matrix are independent: one launch per anti-diagonal, one block of 16 threads per
// tile, and inside a tile the same wavefront again in shared memory. The first kernel serves the growing diagonals
// (upper left half), the second the shrinking ones.
#include "heddle_cuda.h"

static const int kTile = 16;

// `scores` and `matrix` have `columns` columns; row 0 and column 0 of `matrix` are given. (tile_x, tile_y) counts
// tiles.
static __device__ __forceinline__ void nw_tile(const int* __restrict__ scores, int* matrix, int columns, int penalty,
                                               int tile_x, int tile_y) {
  __shared__ int cell[kTile + 1][kTile + 1];
  __shared__ int score[kTile][kTile];
  const int t = threadIdx.x;
  int* const corner = matrix + tile_y * kTile * columns + tile_x * kTile;
  const int* const first_score = scores + (tile_y * kTile + 1) * columns + tile_x * kTile + 1;

  if (t == 0) cell[0][0] = corner[0];
  cell[0][t + 1] = corner[t + 1];
  cell[t + 1][0] = corner[(t + 1) * columns];
#pragma unroll  // as nvcc does to loops of known length
  for (int y = 0; y < kTile; ++y) score[y][t] = first_score[y * columns + t];
  __syncthreads();

#pragma unroll  // as nvcc does to loops of known length
  for (int diagonal = 0; diagonal < 2 * kTile - 1; ++diagonal) {
    const int x = t + 1, y = diagonal - t + 1;
    if (y >= 1 && y <= kTile) {
      const int match = cell[y - 1][x - 1] + score[y - 1][x - 1];
      cell[y][x] = max(match, max(cell[y][x - 1], cell[y - 1][x]) - penalty);
    }
    __syncthreads();
  }
#pragma unroll  // as nvcc does to loops of known length
  for (int y = 0; y < kTile; ++y) corner[(y + 1) * columns + t + 1] = cell[y + 1][t + 1];
}

extern "C" __global__ void nw_growing(const int* __restrict__ scores, int* matrix, int columns, int penalty,
                                      int diagonal) {
  nw_tile(scores, matrix, columns, penalty, blockIdx.x, diagonal - (int)blockIdx.x);
}

extern "C" __global__ void nw_shrinking(const int* __restrict__ scores, int* matrix, int columns, int penalty,
                                        int diagonal) {
  const int tiles = (columns - 1) / kTile;
  const int tile_x = diagonal - (tiles - 1) + (int)blockIdx.x;
  nw_tile(scores, matrix, columns, penalty, tile_x, diagonal - tile_x);
}
