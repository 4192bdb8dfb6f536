// Histogram over many bins that saturates at 255, in the four kernels of Parboil: where most of the input falls; its
// rearrangement into words that name a counter; counting, with the busy part of the bins in shared memory and the rest
// in global memory; and saturation into bytes.
#include "heddle_cuda.h"

static const unsigned kRange = 4096;  // bins that a block counts in shared memory

extern "C" __global__ void __launch_bounds__(256)
    histo_prescan(const unsigned* __restrict__ input, unsigned count, unsigned* extent) {
  __shared__ unsigned low[256], high[256];
  unsigned least = 0xffffffffu, most = 0;
  // Every eighth element is enough to see where the bulk is.
  for (unsigned i = 8 * (blockIdx.x * blockDim.x + threadIdx.x); i < count; i += 8 * gridDim.x * blockDim.x) {
    least = min(least, input[i]);
    most = max(most, input[i]);
  }
  low[threadIdx.x] = least;
  high[threadIdx.x] = most;
  for (unsigned half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      low[threadIdx.x] = min(low[threadIdx.x], low[threadIdx.x + half]);
      high[threadIdx.x] = max(high[threadIdx.x], high[threadIdx.x + half]);
    }
  }
  if (threadIdx.x == 0) {
    atomicMin(&extent[0], low[0]);
    atomicMax(&extent[1], high[0]);
  }
}

// Four counters are a word: a mapping is the word's number and, in the top bits, which of the four.
extern "C" __global__ void __launch_bounds__(256)
    histo_intermediates(const unsigned* __restrict__ input, unsigned* __restrict__ mapping, unsigned count) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const unsigned bin = input[i];
    mapping[i] = bin / 4 | bin % 4 << 30;
  }
}

// Blocks (x, y) count all inputs of slice x into the bins of range y, which starts at first + y * kRange.
extern "C" __global__ void __launch_bounds__(512)
    histo_main(const unsigned* __restrict__ mapping, unsigned count, unsigned first, unsigned* bins) {
  __shared__ unsigned counts[kRange];
  for (unsigned i = threadIdx.x; i < kRange; i += blockDim.x) counts[i] = 0;
  __syncthreads();
  const unsigned start = first + blockIdx.y * kRange, last = first + gridDim.y * kRange;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const unsigned word = mapping[i], bin = (word & 0x3fffffffu) * 4 + (word >> 30);
    if (bin >= start && bin < start + kRange) {
      atomicAdd(&counts[bin - start], 1u);
    } else if (blockIdx.y == 0 && (bin < first || bin >= last)) {
      atomicAdd(&bins[bin], 1u);
    }
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < kRange; i += blockDim.x) {
    if (counts[i] != 0) atomicAdd(&bins[start + i], counts[i]);
  }
}

extern "C" __global__ void __launch_bounds__(256)
    histo_final(const unsigned* __restrict__ bins, unsigned* __restrict__ saturated, unsigned words) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= words) return;
  unsigned word = 0;
  for (unsigned b = 0; b < 4; ++b) word |= min(bins[4 * i + b], 255u) << 8 * b;
  saturated[i] = word;
}
