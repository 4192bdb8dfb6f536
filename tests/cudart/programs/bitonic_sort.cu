// A bitonic sort in shared and global memory.
#include <algorithm>
#include <vector>

#include "check.h"

__global__ void step(unsigned* data, unsigned j, unsigned k) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
  if (other <= i) return;
  const bool up = (i & k) == 0;
  if ((data[i] > data[other]) == up) {
    const unsigned t = data[i];
    data[i] = data[other];
    data[other] = t;
  }
}

int main(int argc, char** argv) {
  const unsigned n = argc > 1 ? atoi(argv[1]) : 4096;
  std::vector<unsigned> host(n), sorted;
  unsigned seed = 12345;
  for (unsigned& x : host) x = seed = seed * 1664525u + 1013904223u;
  sorted = host;
  std::sort(sorted.begin(), sorted.end());
  unsigned* data;
  CHECK(cudaMalloc(&data, n * 4));
  CHECK(cudaMemcpy(data, host.data(), n * 4, cudaMemcpyHostToDevice));
  for (unsigned k = 2; k <= n; k *= 2)
    for (unsigned j = k / 2; j > 0; j /= 2) step<<<n / 256, 256>>>(data, j, k);
  CHECK(cudaMemcpy(host.data(), data, n * 4, cudaMemcpyDeviceToHost));
  std::printf("sorted %d, %08x\n", host == sorted, checksum(host.data(), n * 4));
}
