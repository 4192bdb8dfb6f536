// Maximal independent set (Luby, 1986), as Pannotia has it: a vertex whose priority is below that of all neighbours
// still in play joins the set, and its neighbours are out.
#include "heddle_cuda.h"

// state: -1 in play, 1 in the set, 0 out
extern "C" __global__ void __launch_bounds__(256) mis_start(int* state, int* leaves, unsigned vertices) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  state[v] = -1;
  leaves[v] = 0;
}

extern "C" __global__ void __launch_bounds__(256)
    mis_find(const unsigned* __restrict__ row_start, const unsigned* __restrict__ neighbour,
             const int* __restrict__ priority, const int* __restrict__ state, int* __restrict__ smallest, int* again,
             unsigned vertices) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || state[v] != -1) return;
  *again = 1;
  int least = 0x7fffffff;
  for (unsigned e = row_start[v]; e < row_start[v + 1]; ++e) {
    const unsigned w = neighbour[e];
    if (state[w] == -1) least = min(least, priority[w]);
  }
  smallest[v] = least;
}

extern "C" __global__ void __launch_bounds__(256)
    mis_join(const unsigned* __restrict__ row_start, const unsigned* __restrict__ neighbour,
             const int* __restrict__ priority, const int* __restrict__ smallest, int* state, int* leaves,
             unsigned vertices) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || state[v] != -1) return;
  if (priority[v] >= smallest[v]) return;
  state[v] = 1;
  for (unsigned e = row_start[v]; e < row_start[v + 1]; ++e) leaves[neighbour[e]] = 1;
}

extern "C" __global__ void __launch_bounds__(256)
    mis_leave(const int* __restrict__ leaves, int* state, unsigned vertices) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  if (leaves[v] != 0 && state[v] == -1) state[v] = 0;
}
