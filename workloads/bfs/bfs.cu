// Breadth-first search by levels (Harish and Narayanan, HiPC 2007), in Rodinia's form: one thread per vertex, a vertex
// is a record of first edge and number of edges, masks are a byte per vertex. `visit` marks the unvisited neighbours of
// the level, `update` makes them the next one and tells the host to go on.
#include "heddle_cuda.h"

struct Node {
  int first;
  int count;
};

// Pointers are not restricted: as in the suite, what a loop reads may change under it, so records and costs are read
// again for every edge. Several threads may write the same cost and mark at once: they all write the same value.
extern "C" __global__ void __launch_bounds__(512)
    bfs_visit(const Node* nodes, const int* edges, unsigned char* mask, unsigned char* updating,
              const unsigned char* visited, int* cost, int vertices) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || !mask[v]) return;
  mask[v] = 0;
  for (int e = nodes[v].first; e < nodes[v].first + nodes[v].count; ++e) {
    const int w = edges[e];
    if (!visited[w]) {
      cost[w] = cost[v] + 1;
      updating[w] = 1;
    }
  }
}

extern "C" __global__ void __launch_bounds__(512)
    bfs_update(unsigned char* mask, unsigned char* updating, unsigned char* visited, int* again, int vertices) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || !updating[v]) return;
  mask[v] = 1;
  visited[v] = 1;
  *again = 1;
  updating[v] = 0;
}
