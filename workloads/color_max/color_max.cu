// Graph colouring by rounds (Jones and Plassmann, 1993), as Pannotia has it: a vertex without a colour that has the
// largest priority among its neighbours without one takes the round's colour.
#include "heddle_cuda.h"

extern "C" __global__ void __launch_bounds__(256)
    color_max_find(const unsigned* __restrict__ row_start, const unsigned* __restrict__ neighbour,
                   const int* __restrict__ priority, const int* __restrict__ colour, int* __restrict__ largest,
                   int* again, unsigned vertices) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || colour[v] >= 0) return;
  int most = -1;
  for (unsigned e = row_start[v]; e < row_start[v + 1]; ++e) {
    const unsigned w = neighbour[e];
    if (colour[w] >= 0) continue;
    *again = 1;
    most = max(most, priority[w]);
  }
  largest[v] = most;
}

extern "C" __global__ void __launch_bounds__(256)
    color_max_assign(const int* __restrict__ priority, const int* __restrict__ largest, int* colour, int round,
                     unsigned vertices) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || colour[v] >= 0) return;
  if (priority[v] > largest[v]) colour[v] = round;
}
