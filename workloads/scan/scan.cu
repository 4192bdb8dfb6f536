// Exclusive prefix sum of unsigned integers over many blocks. Within a block: Blelloch's work-efficient scan (up-sweep
// and down-sweep over a tree in shared memory, indices padded against bank conflicts), 512 elements per 256 threads.
// Blocks are joined by scanning their sums and adding the result to each block.
#include "heddle_cuda.h"

static const int kThreads = 256;
static const int kElements = 2 * kThreads;

// One unused word after every 32: elements at distance 2^k then lie in different banks.
static __device__ __forceinline__ int padded(int i) { return i + (i >> 5); }

extern "C" __global__ void __launch_bounds__(256)
    scan_blocks(const unsigned* __restrict__ in, unsigned* __restrict__ out, unsigned* __restrict__ block_sums,
                unsigned count) {
  __shared__ unsigned tree[kElements + kElements / 32];
  const int t = threadIdx.x;
  const unsigned first = blockIdx.x * kElements + t, second = first + kThreads;
  tree[padded(t)] = first < count ? in[first] : 0;
  tree[padded(t + kThreads)] = second < count ? in[second] : 0;

  int stride = 1;
  for (int active = kThreads; active > 0; active /= 2) {
    __syncthreads();
    if (t < active) {
      const int left = padded(stride * (2 * t + 1) - 1), right = padded(stride * (2 * t + 2) - 1);
      tree[right] += tree[left];
    }
    stride *= 2;
  }
  if (t == 0) {
    block_sums[blockIdx.x] = tree[padded(kElements - 1)];
    tree[padded(kElements - 1)] = 0;
  }
  for (int active = 1; active <= kThreads; active *= 2) {
    stride /= 2;
    __syncthreads();
    if (t < active) {
      const int left = padded(stride * (2 * t + 1) - 1), right = padded(stride * (2 * t + 2) - 1);
      const unsigned value = tree[left];
      tree[left] = tree[right];
      tree[right] += value;
    }
  }
  __syncthreads();
  if (first < count) out[first] = tree[padded(t)];
  if (second < count) out[second] = tree[padded(t + kThreads)];
}

extern "C" __global__ void add_block_offsets(unsigned* __restrict__ values, const unsigned* __restrict__ offsets,
                                             unsigned count) {
  const unsigned offset = offsets[blockIdx.x];
  const unsigned first = blockIdx.x * kElements + threadIdx.x, second = first + kThreads;
  if (first < count) values[first] += offset;
  if (second < count) values[second] += offset;
}
