// Betweenness centrality (Brandes, 2001), as Pannotia has it: from each source, levels outwards that count shortest
// paths, then levels inwards that hand dependencies back, both with atomics.
#include "heddle_cuda.h"

extern "C" __global__ void __launch_bounds__(256)
    bc_start(int* distance, float* paths, float* dependency, unsigned source, unsigned vertices) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  distance[v] = v == source ? 0 : -1;
  paths[v] = v == source ? 1.0f : 0.0f;
  dependency[v] = 0.0f;
}

extern "C" __global__ void __launch_bounds__(256)
    bc_forward(const unsigned* __restrict__ row_start, const unsigned* __restrict__ neighbour, int* distance,
               float* paths, int* again, int level, unsigned vertices) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || distance[v] != level) return;
  for (unsigned e = row_start[v]; e < row_start[v + 1]; ++e) {
    const unsigned w = neighbour[e];
    if (distance[w] < 0) {
      *again = 1;
      distance[w] = level + 1;
    }
    if (distance[w] == level + 1) atomicAdd(&paths[w], paths[v]);
  }
}

extern "C" __global__ void __launch_bounds__(256)
    bc_backward(const unsigned* __restrict__ row_start, const unsigned* __restrict__ neighbour,
                const int* __restrict__ distance, const float* __restrict__ paths, float* dependency, int level,
                unsigned vertices) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || distance[v] != level) return;
  for (unsigned e = row_start[v]; e < row_start[v + 1]; ++e) {
    const unsigned w = neighbour[e];
    if (distance[w] == level - 1) atomicAdd(&dependency[w], paths[w] / paths[v] * (1.0f + dependency[v]));
  }
}

extern "C" __global__ void __launch_bounds__(256)
    bc_add(const float* __restrict__ dependency, float* centrality, unsigned source, unsigned vertices) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  if (v != source) centrality[v] += dependency[v];
}
