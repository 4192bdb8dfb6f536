// Scalar products of many pairs of vectors: a block takes one pair after the other, keeps 1024 partial sums in shared
// memory and adds them up as a tree.
#include "heddle_cuda.h"

static const int kAccumulators = 1024;

extern "C" __global__ void __launch_bounds__(256)
    scalar_products(float* __restrict__ results, const float* __restrict__ a, const float* __restrict__ b, int vectors,
                    int elements) {
  __shared__ float sums[kAccumulators];
  for (int vector = blockIdx.x; vector < vectors; vector += gridDim.x) {
    const int begin = vector * elements, end = begin + elements;
    for (int s = threadIdx.x; s < kAccumulators; s += blockDim.x) {
      float sum = 0.0f;
      for (int i = begin + s; i < end; i += kAccumulators) sum = fmaf(a[i], b[i], sum);
      sums[s] = sum;
    }
    for (int stride = kAccumulators / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      for (int s = threadIdx.x; s < stride; s += blockDim.x) sums[s] += sums[stride + s];
    }
    __syncthreads();
    if (threadIdx.x == 0) results[vector] = sums[0];
  }
}
