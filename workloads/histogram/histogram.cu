// Histogram of bytes, 256 bins, as the CUDA SDK's histogram256: every warp counts into its own copy in shared memory,
// every block writes the sum of its copies to global memory, and a second kernel adds the blocks' histograms, a block
// per bin.
#include "heddle_cuda.h"

static const unsigned kBins = 256;
static const unsigned kWarps = 6;
static const unsigned kMergeThreads = 64;

__device__ __forceinline__ void count_byte(unsigned* bins, unsigned byte) { atomicAdd(&bins[byte], 1u); }

extern "C" __global__ void __launch_bounds__(192)
    histogram_bytes(const unsigned* __restrict__ words, unsigned bytes, unsigned* __restrict__ partial) {
  __shared__ unsigned bins[kWarps * kBins];
  for (unsigned i = threadIdx.x; i < kWarps * kBins; i += blockDim.x) bins[i] = 0;
  __syncthreads();

  unsigned* mine = bins + threadIdx.x / 32 * kBins;
  const unsigned whole = bytes / 4, start = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = start; i < whole; i += gridDim.x * blockDim.x) {
    const unsigned word = words[i];
    count_byte(mine, word & 0xff);
    count_byte(mine, word >> 8 & 0xff);
    count_byte(mine, word >> 16 & 0xff);
    count_byte(mine, word >> 24);
  }
  // The last, incomplete word: its bytes are counted by as many threads.
  if (start < bytes % 4) count_byte(mine, words[whole] >> (8 * start) & 0xff);
  __syncthreads();

  for (unsigned bin = threadIdx.x; bin < kBins; bin += blockDim.x) {
    unsigned sum = 0;
    for (unsigned w = 0; w < kWarps; ++w) sum += bins[w * kBins + bin];
    partial[blockIdx.x * kBins + bin] = sum;
  }
}

extern "C" __global__ void __launch_bounds__(64)
    histogram_merge(const unsigned* __restrict__ partial, unsigned partials, unsigned* __restrict__ histogram) {
  __shared__ unsigned sums[kMergeThreads];
  unsigned sum = 0;
  for (unsigned i = threadIdx.x; i < partials; i += kMergeThreads) sum += partial[i * kBins + blockIdx.x];
  sums[threadIdx.x] = sum;
  for (unsigned half = kMergeThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) histogram[blockIdx.x] = sums[0];
}
