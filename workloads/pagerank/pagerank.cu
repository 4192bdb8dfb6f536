// PageRank (Brin and Page, 1998), as Pannotia has it: every vertex adds its share to its neighbours with atomics, then
// another kernel damps the sums.
#include "heddle_cuda.h"

extern "C" __global__ void __launch_bounds__(256)
    pagerank_start(float* rank, float* sum, float value, unsigned vertices) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  rank[v] = value;
  sum[v] = 0.0f;
}

extern "C" __global__ void __launch_bounds__(256)
    pagerank_push(const unsigned* __restrict__ row_start, const unsigned* __restrict__ neighbour,
                  const float* __restrict__ rank, float* sum, unsigned vertices) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  const unsigned begin = row_start[v], end = row_start[v + 1];
  for (unsigned e = begin; e < end; ++e) atomicAdd(&sum[neighbour[e]], rank[v] / (float)(end - begin));
}

extern "C" __global__ void __launch_bounds__(256)
    pagerank_damp(float* __restrict__ rank, float* __restrict__ sum, float base, float damping, unsigned vertices) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  rank[v] = fmaf(damping, sum[v], base);
  sum[v] = 0.0f;
}
