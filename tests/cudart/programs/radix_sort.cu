// A radix sort of keys and values: ballots for ranks, one pass of four bits at a time.
#include <algorithm>
#include <numeric>
#include <vector>

#include "check.h"

constexpr int kBlock = 128, kDigits = 16;

__global__ void count(const unsigned* keys, int n, int shift, unsigned* counts) {
  __shared__ unsigned local[kDigits];
  if (threadIdx.x < kDigits) local[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n) atomicAdd(&local[keys[i] >> shift & 15], 1u);
  __syncthreads();
  if (threadIdx.x < kDigits) counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}
__global__ void offsets(unsigned* counts, int n) {
  unsigned sum = 0;
  for (int i = 0; i < n; ++i) {
    const unsigned c = counts[i];
    counts[i] = sum;
    sum += c;
  }
}
__global__ void scatter(const unsigned* keys, const unsigned* values, int n, int shift, const unsigned* counts,
                        unsigned* keys_out, unsigned* values_out) {
  __shared__ unsigned warp_counts[kBlock / 32][kDigits];
  const int i = blockIdx.x * kBlock + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned digit = i < n ? keys[i] >> shift & 15 : 16;
  unsigned mine = 0;
  for (unsigned d = 0; d < kDigits; ++d) {
    const unsigned same = __ballot_sync(0xffffffffu, digit == d);
    if (digit == d) mine = __popc(same & ((1u << lane) - 1));
    if (lane == 0) warp_counts[warp][d] = __popc(same);
  }
  __syncthreads();
  if (i >= n) return;
  for (int w = 0; w < warp; ++w) mine += warp_counts[w][digit];
  const unsigned to = counts[digit * gridDim.x + blockIdx.x] + mine;
  keys_out[to] = keys[i];
  values_out[to] = values[i];
}

int main() {
  const int n = 1500, blocks = (n + kBlock - 1) / kBlock;
  std::vector<unsigned> keys(n), values(n), order(n);
  unsigned seed = 77;
  for (int i = 0; i < n; ++i) keys[i] = (seed = seed * 1664525u + 1013904223u) >> 16, values[i] = i;
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return keys[a] < keys[b]; });
  unsigned *k[2], *v[2], *counts;
  for (int b = 0; b < 2; ++b) {
    CHECK(cudaMalloc(&k[b], n * 4));
    CHECK(cudaMalloc(&v[b], n * 4));
  }
  CHECK(cudaMalloc(&counts, kDigits * blocks * 4));
  CHECK(cudaMemcpy(k[0], keys.data(), n * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(v[0], values.data(), n * 4, cudaMemcpyHostToDevice));
  for (int pass = 0; pass < 4; ++pass) {
    count<<<blocks, kBlock>>>(k[pass % 2], n, pass * 4, counts);
    offsets<<<1, 1>>>(counts, kDigits * blocks);
    scatter<<<blocks, kBlock>>>(k[pass % 2], v[pass % 2], n, pass * 4, counts, k[1 - pass % 2], v[1 - pass % 2]);
  }
  CHECK(cudaMemcpy(values.data(), v[0], n * 4, cudaMemcpyDeviceToHost));
  std::printf("stable and sorted %d, %08x\n", values == order, checksum(values.data(), n * 4));
}
