// Matrix transposition through a 32x32 tile in shared memory: both sides coalesced; the tile's rows are one word
// longer, so that a column touches 32 different banks.
#include "heddle_cuda.h"

static const int kTile = 32;
static const int kRowsPerStep = 8;  // a block is 32x8 threads; each thread moves four elements

extern "C" __global__ void transpose_shared(const float* __restrict__ in, float* __restrict__ out, int rows,
                                            int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int left = blockIdx.x * kTile, top = blockIdx.y * kTile;
  for (int step = 0; step < kTile; step += kRowsPerStep) {
    const int x = left + tx, y = top + ty + step;
    if (x < columns && y < rows) tile[ty + step][tx] = in[y * columns + x];
  }
  __syncthreads();
  for (int step = 0; step < kTile; step += kRowsPerStep) {
    const int x = top + tx, y = left + ty + step;  // a place in the transposed matrix
    if (x < rows && y < columns) out[y * rows + x] = tile[tx][ty + step];
  }
}
