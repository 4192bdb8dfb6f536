// Histograms with shared atomics of bytes read as words.
#include <vector>

#include "check.h"

__global__ void histogram(const unsigned* words, int n, unsigned* bins) {
  __shared__ unsigned local[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned w = words[i];
    for (int k = 0; k < 4; ++k) atomicAdd(&local[(w >> (8 * k)) & 0xff], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    if (local[b] != 0) atomicAdd(&bins[b], local[b]);
}

int main() {
  const int n = 4000;
  std::vector<unsigned> words(n);
  std::vector<unsigned> expected(256), bins(256);
  unsigned seed = 9;
  for (unsigned& w : words) {
    w = seed = seed * 1103515245u + 12345u;
    for (int k = 0; k < 4; ++k) ++expected[(w >> (8 * k)) & 0xff];
  }
  unsigned *dwords, *dbins;
  CHECK(cudaMalloc(&dwords, n * 4));
  CHECK(cudaMalloc(&dbins, 1024));
  CHECK(cudaMemset(dbins, 0, 1024));
  CHECK(cudaMemcpy(dwords, words.data(), n * 4, cudaMemcpyHostToDevice));
  histogram<<<6, 192>>>(dwords, n, dbins);
  CHECK(cudaMemcpy(bins.data(), dbins, 1024, cudaMemcpyDeviceToHost));
  std::printf("same %d, %08x\n", bins == expected, checksum(bins.data(), 1024));
}
