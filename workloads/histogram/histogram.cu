// Histogram of bytes, 256 bins: every block counts into its own copy in shared memory and adds it to the result with
// one global atomic per bin. Bytes are read four at a time.
#include "heddle_cuda.h"

static const unsigned kBins = 256;

extern "C" __global__ void histogram_bytes(const unsigned* __restrict__ words, unsigned bytes,
                                           unsigned* __restrict__ histogram) {
  __shared__ unsigned bins[kBins];
  for (unsigned bin = threadIdx.x; bin < kBins; bin += blockDim.x) bins[bin] = 0;
  __syncthreads();

  const unsigned whole = bytes / 4, stride = gridDim.x * blockDim.x;
  const unsigned start = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = start; i < whole; i += stride) {
    const unsigned word = words[i];
    atomicAdd(&bins[word & 0xff], 1u);
    atomicAdd(&bins[word >> 8 & 0xff], 1u);
    atomicAdd(&bins[word >> 16 & 0xff], 1u);
    atomicAdd(&bins[word >> 24], 1u);
  }
  // The last, incomplete word: its bytes are counted by as many threads.
  if (start < bytes % 4) atomicAdd(&bins[words[whole] >> (8 * start) & 0xff], 1u);
  __syncthreads();

  for (unsigned bin = threadIdx.x; bin < kBins; bin += blockDim.x) {
    if (bins[bin] != 0) atomicAdd(&histogram[bin], bins[bin]);
  }
}
