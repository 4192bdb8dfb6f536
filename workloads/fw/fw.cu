// Floyd-Warshall, as Pannotia has it: a launch per intermediate vertex; the fastest thread index runs along a column,
// so that the lanes of a warp are a row apart. `next` holds the
// last vertex that made a path shorter.
#include "heddle_cuda.h"

extern "C" __global__ void __launch_bounds__(256) fw_step(int* distance, int* next, int n, int k) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  const int through = distance[x * n + k] + distance[k * n + y];
  if (through < distance[x * n + y]) {
    distance[x * n + y] = through;
    next[x * n + y] = k;
  }
}
