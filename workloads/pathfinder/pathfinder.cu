// Cheapest path through a grid by dynamic programming, as in Rodinia: each row takes the least of three neighbours of
// the row before. A block advances its 256 columns by several rows in shared memory; the ghost zone at both ends grows
// by one column per row and is recomputed by the neighbouring block.
#include "heddle_cuda.h"

static const int kBlock = 256;

extern "C" __global__ void __launch_bounds__(256)
    pathfinder_rows(int steps, const int* __restrict__ wall, const int* __restrict__ from, int* __restrict__ to,
                    int columns, int first_row) {
  __shared__ int previous[kBlock];
  __shared__ int result[kBlock];
  const int tx = threadIdx.x;
  const int inner = kBlock - 2 * steps;
  const int start = inner * (int)blockIdx.x - steps, x = start + tx;
  const bool inside = x >= 0 && x < columns;
  const int west = max(tx - 1, max(0, -start)), east = min(tx + 1, min(kBlock - 1, columns - 1 - start));
  if (inside) previous[tx] = from[x];
  __syncthreads();

  bool computed = false;
  for (int step = 0; step < steps; ++step) {
    computed = inside && tx > step && tx < kBlock - 1 - step;
    if (computed) {
      const int cheapest = min(previous[tx], min(previous[west], previous[east]));
      result[tx] = cheapest + wall[(first_row + step) * columns + x];
    }
    __syncthreads();
    if (step == steps - 1) break;
    if (computed) previous[tx] = result[tx];
    __syncthreads();
  }
  if (computed) to[x] = result[tx];
}
