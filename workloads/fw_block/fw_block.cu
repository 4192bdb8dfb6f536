// Blocked Floyd-Warshall (Venkataraman and others, 2003), as Pannotia has it: per round the diagonal tile, then the
// tiles of its row and column, then all others, in tiles of shared memory.
#include "heddle_cuda.h"

static const int kTile = 16;

extern "C" __global__ void __launch_bounds__(256) fw_block_diagonal(int* distance, int n, unsigned round) {
  __shared__ int tile[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y, at = (round * kTile + y) * n + round * kTile + x;
  tile[y][x] = distance[at];
  __syncthreads();
  for (int k = 0; k < kTile; ++k) {
    const int through = tile[y][k] + tile[k][x];
    __syncthreads();
    tile[y][x] = min(tile[y][x], through);
    __syncthreads();
  }
  distance[at] = tile[y][x];
}

// Blocks (i, 0) do the row of tiles, blocks (i, 1) the column.
extern "C" __global__ void __launch_bounds__(256) fw_block_cross(int* distance, int n, unsigned round) {
  if (blockIdx.x == round) return;
  __shared__ int diagonal[kTile][kTile];
  __shared__ int tile[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const bool row = blockIdx.y == 0;
  const unsigned tile_y = row ? round : blockIdx.x, tile_x = row ? blockIdx.x : round;
  const int at = (tile_y * kTile + y) * n + tile_x * kTile + x;
  diagonal[y][x] = distance[(round * kTile + y) * n + round * kTile + x];
  tile[y][x] = distance[at];
  __syncthreads();
  for (int k = 0; k < kTile; ++k) {
    const int through = row ? diagonal[y][k] + tile[k][x] : tile[y][k] + diagonal[k][x];
    __syncthreads();
    tile[y][x] = min(tile[y][x], through);
    __syncthreads();
  }
  distance[at] = tile[y][x];
}

extern "C" __global__ void __launch_bounds__(256) fw_block_rest(int* distance, int n, unsigned round) {
  if (blockIdx.x == round || blockIdx.y == round) return;
  __shared__ int left[kTile][kTile];
  __shared__ int above[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  left[y][x] = distance[row * n + round * kTile + x];
  above[y][x] = distance[(round * kTile + y) * n + column];
  __syncthreads();
  int shortest = distance[row * n + column];
  for (int k = 0; k < kTile; ++k) shortest = min(shortest, left[y][k] + above[k][x]);
  distance[row * n + column] = shortest;
}
