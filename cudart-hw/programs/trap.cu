// A trap, and an error found by a copy instead of a wait.
#include "check.h"

__global__ void stop(int when) {
  if (threadIdx.x == when) __trap();
}

int main() {
  int *data, host;
  CHECK(cudaMalloc(&data, 4));
  stop<<<1, 32>>>(64);
  CHECK(cudaDeviceSynchronize());
  stop<<<2, 32>>>(5);
  std::printf("copy: %s\n", cudaGetErrorName(cudaMemcpy(&host, data, 4, cudaMemcpyDeviceToHost)));
  std::printf("last: %s\n", cudaGetErrorString(cudaGetLastError()));
  std::printf("stream: %s\n", cudaGetErrorName(cudaStreamSynchronize(0)));
}
