// Reductions and prefix sums by blocks and over the whole grid, with a fence and a counter for the last block.
#include <vector>

#include "check.h"

__device__ unsigned finished = 0;

__global__ void reduce(const int* in, int n, long long* partial, long long* out) {
  __shared__ long long sums[256];
  long long sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
    __syncthreads();
  }
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sums[0];
    __threadfence();
    last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    long long total = 0;
    for (int b = 0; b < gridDim.x; ++b) total += ((volatile long long*)partial)[b];
    *out = total;
  }
}

__global__ void scan(const int* in, int* out, int* block_sums) {
  __shared__ int values[2][256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  int from = 0;
  values[0][t] = in[i];
  __syncthreads();
  for (int offset = 1; offset < 256; offset *= 2) {
    values[1 - from][t] = values[from][t] + (t >= offset ? values[from][t - offset] : 0);
    from = 1 - from;
    __syncthreads();
  }
  out[i] = values[from][t];
  if (t == 255) block_sums[blockIdx.x] = values[from][t];
}
__global__ void add_offsets(int* out, const int* block_sums) {
  int offset = 0;
  for (int b = 0; b < blockIdx.x; ++b) offset += block_sums[b];
  out[blockIdx.x * 256 + threadIdx.x] += offset;
}

int main() {
  const int n = 256 * 20;
  std::vector<int> host(n), scanned(n);
  for (int i = 0; i < n; ++i) host[i] = (i * 7919) % 1001 - 300;
  int *in, *out, *block_sums;
  long long *partial, *total, sum;
  CHECK(cudaMalloc(&in, n * 4));
  CHECK(cudaMalloc(&out, n * 4));
  CHECK(cudaMalloc(&block_sums, 20 * 4));
  CHECK(cudaMalloc(&partial, 8 * 8));
  CHECK(cudaMalloc(&total, 8));
  CHECK(cudaMemcpy(in, host.data(), n * 4, cudaMemcpyHostToDevice));
  for (int r = 0; r < 2; ++r) {
    reduce<<<8, 256>>>(in, n, partial, total);
    CHECK(cudaMemcpy(&sum, total, 8, cudaMemcpyDeviceToHost));
    std::printf("sum %lld\n", sum);
  }
  scan<<<20, 256>>>(in, out, block_sums);
  add_offsets<<<20, 256>>>(out, block_sums);
  CHECK(cudaMemcpy(scanned.data(), out, n * 4, cudaMemcpyDeviceToHost));
  int running = 0, wrong = 0;
  for (int i = 0; i < n; ++i) running += host[i], wrong += scanned[i] != running;
  std::printf("%d wrong, last %d\n", wrong, scanned[n - 1]);
}
