// Sums of an array, two ways: floats through a tree in (dynamic) shared memory whose last steps are warp shuffles, one
// partial sum per block and a second launch over those; unsigned integers through shuffles alone and one atomic per
// warp. The grid strides over the array, so that a block's work grows with the input.
#include "heddle_cuda.h"

extern "C" __global__ void reduce_float(const float* __restrict__ in, float* __restrict__ out, unsigned count) {
  extern __shared__ float partial[];
  const unsigned t = threadIdx.x;
  float sum = 0.0f;
  for (unsigned i = blockIdx.x * blockDim.x + t; i < count; i += gridDim.x * blockDim.x) sum += in[i];
  partial[t] = sum;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half >= 32; half /= 2) {
    if (t < half) partial[t] += partial[t + half];
    __syncthreads();
  }
  if (t < 32) {
    sum = partial[t];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (t == 0) out[blockIdx.x] = sum;
  }
}

extern "C" __global__ void reduce_unsigned(const unsigned* __restrict__ in, unsigned* out, unsigned count) {
  unsigned sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) sum += in[i];
  for (int mask = 16; mask > 0; mask /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, mask);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}
