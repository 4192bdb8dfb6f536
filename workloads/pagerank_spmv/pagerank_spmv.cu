// PageRank as products of a sparse matrix with a vector, as Pannotia has it: the shares are the values of a matrix in
// CSR form, a thread takes a row and gathers, then another kernel damps.
#include "heddle_cuda.h"

extern "C" __global__ void __launch_bounds__(256)
    pagerank_spmv_start(const unsigned* __restrict__ row_start, const unsigned* __restrict__ neighbour,
                        float* __restrict__ value, float* __restrict__ rank, float first, unsigned vertices) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  rank[v] = first;
  for (unsigned e = row_start[v]; e < row_start[v + 1]; ++e) {
    const unsigned w = neighbour[e];
    value[e] = 1.0f / (float)(row_start[w + 1] - row_start[w]);
  }
}

extern "C" __global__ void __launch_bounds__(256)
    pagerank_spmv_multiply(const unsigned* __restrict__ row_start, const unsigned* __restrict__ neighbour,
                           const float* __restrict__ value, const float* __restrict__ rank, float* __restrict__ sum,
                           unsigned vertices) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  float total = 0.0f;
  for (unsigned e = row_start[v]; e < row_start[v + 1]; ++e) total = fmaf(value[e], rank[neighbour[e]], total);
  sum[v] = total;
}

extern "C" __global__ void __launch_bounds__(256)
    pagerank_spmv_damp(float* __restrict__ rank, const float* __restrict__ sum, float base, float damping,
                       unsigned vertices) {
  const unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  rank[v] = fmaf(damping, sum[v], base);
}
