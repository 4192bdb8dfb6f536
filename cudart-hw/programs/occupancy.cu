// Occupancy: more shared memory never makes for more blocks, and the suggested block size can be launched.
#include "check.h"

__global__ void kernel(float* data, int n) {
  extern __shared__ float scratch[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  scratch[threadIdx.x] = i < n ? data[i] : 0;
  __syncthreads();
  if (i < n) data[i] = scratch[blockDim.x - 1 - threadIdx.x];
}
__global__ void simple(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = i;
}

int main() {
  int before = 1000, falls = 1, positive = 1;
  for (int shared = 1024; shared <= 48 * 1024; shared += 1024) {
    int blocks;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 128, shared));
    falls &= blocks <= before;
    positive &= blocks >= 1;
    before = blocks;
  }
  std::printf("falls %d, positive %d\n", falls, positive);
  int blocks, grid, block;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, simple, 1024, 0));
  std::printf("at 1024 threads: %d\n", blocks >= 1);
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, simple, 0, 0));
  std::printf("suggested %d\n", grid > 0 && block >= 32 && block <= 1024 && block % 32 == 0);
  int *data, host[5000];
  CHECK(cudaMalloc(&data, sizeof(host)));
  simple<<<(5000 + block - 1) / block, block>>>(data, 5000);
  CHECK(cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost));
  std::printf("%d %08x\n", host[4999], checksum(host, sizeof(host)));
}
