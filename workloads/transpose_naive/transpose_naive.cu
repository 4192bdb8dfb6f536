// Matrix transposition straight through global memory: stores are coalesced, loads go down a column, one line per lane.
#include "heddle_cuda.h"

static const int kTile = 32;
static const int kRowsPerStep = 8;  // a block is 32x8 threads; each thread moves four elements

extern "C" __global__ void transpose_naive(const float* __restrict__ in, float* __restrict__ out, int rows,
                                           int columns) {
  const int x = blockIdx.x * kTile + threadIdx.x;  // a place in the transposed matrix
  for (int step = 0; step < kTile; step += kRowsPerStep) {
    const int y = blockIdx.y * kTile + threadIdx.y + step;
    if (x < rows && y < columns) out[y * rows + x] = in[x * columns + y];
  }
}
