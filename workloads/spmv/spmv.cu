// y = A x for a sparse matrix in CSR form (Bell and Garland, SC 2009). Scalar: one thread per row, so lanes of a warp
// walk different rows and diverge with their lengths. Vector: one warp per row, coalesced, with a shuffle reduction.
// JDS, as in Parboil: rows are sorted by length and lie entry by entry, so that lanes read neighbouring words.
#include "heddle_cuda.h"

extern "C" __global__ void spmv_scalar(const unsigned* __restrict__ row_start, const unsigned* __restrict__ column,
                                       const float* __restrict__ value, const float* __restrict__ x,
                                       float* __restrict__ y, unsigned rows) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  const unsigned end = row_start[row + 1];
  for (unsigned i = row_start[row]; i < end; ++i) sum = fmaf(value[i], x[column[i]], sum);
  y[row] = sum;
}

extern "C" __global__ void spmv_vector(const unsigned* __restrict__ row_start, const unsigned* __restrict__ column,
                                       const float* __restrict__ value, const float* __restrict__ x,
                                       float* __restrict__ y, unsigned rows) {
  const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const unsigned lane = threadIdx.x % 32;
  if (row >= rows) return;  // whole warps leave together: the block is a multiple of 32 threads
  float sum = 0.0f;
  const unsigned end = row_start[row + 1];
  for (unsigned i = row_start[row] + lane; i < end; i += 32) sum = fmaf(value[i], x[column[i]], sum);
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0) y[row] = sum;
}

// `jag_start[k]` is where the k-th entries of all rows that have so many begin; `length` is a row's, `permutation` its
// number before sorting.
extern "C" __global__ void spmv_jds(const unsigned* __restrict__ jag_start, const unsigned* __restrict__ length,
                                    const unsigned* __restrict__ permutation, const unsigned* __restrict__ column,
                                    const float* __restrict__ value, const float* __restrict__ x, float* __restrict__ y,
                                    unsigned rows) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  const unsigned entries = length[row];
  for (unsigned k = 0; k < entries; ++k) {
    const unsigned at = jag_start[k] + row;
    sum = fmaf(value[at], x[column[at]], sum);
  }
  y[permutation[row]] = sum;
}
