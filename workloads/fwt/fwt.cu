// Fast Walsh-Hadamard transform. While the transform is longer than what shared memory holds, two butterfly stages at a
// time pass over global memory, a quarter of the length apart; the rest of every part is done in shared memory.
#include "heddle_cuda.h"

// One radix-4 step over global memory: `quarter` is the distance of the four partners.
extern "C" __global__ void __launch_bounds__(256) fwt_global(float* data, unsigned quarter, unsigned threads) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= threads) return;
  const unsigned low = at & (quarter - 1);
  const unsigned i0 = ((at - low) << 2) + low, i1 = i0 + quarter, i2 = i1 + quarter, i3 = i2 + quarter;
  const float d0 = data[i0], d1 = data[i1], d2 = data[i2], d3 = data[i3];
  const float s02 = d0 + d2, m02 = d0 - d2, s13 = d1 + d3, m13 = d1 - d3;
  data[i0] = s02 + s13;
  data[i1] = s02 - s13;
  data[i2] = m02 + m13;
  data[i3] = m02 - m13;
}

// A whole transform of 2^bits elements per block, in shared memory.
extern "C" __global__ void __launch_bounds__(256) fwt_shared(float* data, int bits) {
  extern __shared__ float part[];
  const int length = 1 << bits;
  float* mine = data + (blockIdx.x << bits);
  for (int i = threadIdx.x; i < length; i += blockDim.x) part[i] = mine[i];

  int quarter = length >> 2;
  for (; quarter > 0; quarter >>= 2) {
    __syncthreads();
    for (int at = threadIdx.x; at < length >> 2; at += blockDim.x) {
      const int low = at & (quarter - 1);
      const int i0 = ((at - low) << 2) + low, i1 = i0 + quarter, i2 = i1 + quarter, i3 = i2 + quarter;
      const float d0 = part[i0], d1 = part[i1], d2 = part[i2], d3 = part[i3];
      const float s02 = d0 + d2, m02 = d0 - d2, s13 = d1 + d3, m13 = d1 - d3;
      part[i0] = s02 + s13;
      part[i1] = s02 - s13;
      part[i2] = m02 + m13;
      part[i3] = m02 - m13;
    }
  }
  if (bits & 1) {  // an odd number of stages leaves one of radix 2
    __syncthreads();
    for (int at = threadIdx.x; at < length >> 1; at += blockDim.x) {
      const float d0 = part[2 * at], d1 = part[2 * at + 1];
      part[2 * at] = d0 + d1;
      part[2 * at + 1] = d0 - d1;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < length; i += blockDim.x) mine[i] = part[i];
}

extern "C" __global__ void __launch_bounds__(256)
    fwt_modulate(float* __restrict__ a, const float* __restrict__ b, float scale, unsigned count) {
  const unsigned stride = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) a[i] *= scale * b[i];
}
