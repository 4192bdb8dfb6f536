// Breadth-first search by levels (Harish and Narayanan, HiPC 2007): one thread per vertex and a launch per level; a
// vertex is one record of first edge and number of edges, masks are a byte per vertex.
#include "heddle_cuda.h"

extern "C" __global__ void __launch_bounds__(512)
    bfs2_visit(const int2* __restrict__ nodes, const int* __restrict__ edges, unsigned char* mask,
               unsigned char* updating, const unsigned char* __restrict__ visited, int* cost, int vertices) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || !mask[v]) return;
  mask[v] = 0;
  const int2 node = nodes[v];
  for (int e = node.x; e < node.x + node.y; ++e) {
    const int w = edges[e];
    if (!visited[w]) {
      cost[w] = cost[v] + 1;
      updating[w] = 1;
    }
  }
}

extern "C" __global__ void __launch_bounds__(512)
    bfs2_update(unsigned char* mask, unsigned char* updating, unsigned char* visited, int* again, int vertices) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || !updating[v]) return;
  mask[v] = 1;
  visited[v] = 1;
  *again = 1;
  updating[v] = 0;
}
