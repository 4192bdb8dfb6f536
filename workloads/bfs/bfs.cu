// Breadth-first search as in Rodinia: one thread per vertex, two kernels per level. The frontier is an array of flags;
// `expand` marks the neighbours of the frontier, `advance` makes them the next frontier and tells the host to go on.
#include "heddle_cuda.h"

// Several threads may write the same cost and mark at once: they all write the same value.
extern "C" __global__ void bfs_expand(const unsigned* __restrict__ row_start, const unsigned* __restrict__ neighbour,
                                      unsigned char* frontier, unsigned char* marked, const unsigned char* visited,
                                      int* cost, unsigned vertices) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || !frontier[v]) return;
  frontier[v] = 0;
  const int next_cost = cost[v] + 1;
  const unsigned end = row_start[v + 1];
  for (unsigned e = row_start[v]; e < end; ++e) {
    const unsigned w = neighbour[e];
    if (!visited[w]) {
      cost[w] = next_cost;
      marked[w] = 1;
    }
  }
}

extern "C" __global__ void bfs_advance(unsigned char* frontier, unsigned char* marked, unsigned char* visited,
                                       int* go_on, unsigned vertices) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || !marked[v]) return;
  frontier[v] = 1;
  visited[v] = 1;
  marked[v] = 0;
  *go_on = 1;
}
