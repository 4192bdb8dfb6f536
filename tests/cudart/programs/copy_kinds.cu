// Copies whose kind does not fit the pointers, and copies that run over an end.
#include "check.h"

#define SHOW(call) std::printf("%s: %s\n", #call, cudaGetErrorName(call))

int main() {
  static int host[1024], other[1024];
  int *a, *b, *pinned;
  CHECK(cudaMalloc(&a, 4096));
  CHECK(cudaMalloc(&b, 4096));
  CHECK(cudaMallocHost(&pinned, 4096));
  for (int i = 0; i < 1024; ++i) host[i] = i;
  SHOW(cudaMemcpy(a, host, 4096, cudaMemcpyDefault));
  SHOW(cudaMemcpy(b, a, 4096, cudaMemcpyDefault));
  SHOW(cudaMemcpy(other, b, 4096, cudaMemcpyDefault));
  std::printf("%08x\n", checksum(other, 4096));
  SHOW(cudaMemcpy(other, host, 4096, cudaMemcpyHostToHost));
  SHOW(cudaMemcpy(pinned, a, 4096, cudaMemcpyDeviceToHost));
  SHOW(cudaMemcpy(b, pinned, 4096, cudaMemcpyHostToDevice));
  SHOW(cudaMemcpyAsync(pinned, b, 4096, cudaMemcpyDeviceToHost));
  SHOW(cudaDeviceSynchronize());
  std::printf("%08x\n", checksum(pinned, 4096));
  SHOW(cudaMemcpy(a + 512, a, 2048, cudaMemcpyDeviceToDevice));
  SHOW(cudaMemcpyPeer(a, 0, b, 0, 4096));
  SHOW(cudaMemcpyPeer(a, 0, b, 3, 4096));
  SHOW(cudaMemset(a, 1, 4096));
}
