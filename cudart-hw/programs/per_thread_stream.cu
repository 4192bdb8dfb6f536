// Default streams per thread, from several host threads.
#include <thread>
#include <vector>

#include "check.h"

__global__ void fill(int* data, int n, int value) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = value + i;
}

int main() {
  constexpr int kThreads = 4, n = 400;
  std::vector<unsigned> sums(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([t, &sums] {
      int* data;
      std::vector<int> host(n);
      CHECK(cudaMalloc(&data, n * 4));
      for (int r = 0; r < 3; ++r) fill<<<1, 64>>>(data, n, t * 1000 + r);
      CHECK(cudaMemcpyAsync(host.data(), data, n * 4, cudaMemcpyDeviceToHost, cudaStreamPerThread));
      CHECK(cudaStreamSynchronize(0));
      sums[t] = checksum(host.data(), n * 4);
      CHECK(cudaFree(data));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (unsigned sum : sums) std::printf("%08x ", sum);
  std::printf("\n");
}
