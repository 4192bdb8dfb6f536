// A failed assert: its error sticks to every later call.
#include <cassert>

#include "check.h"

__global__ void check_values(const int* data) { assert(data[threadIdx.x] < 30); }

int main() {
  int host[32], *data;
  for (int i = 0; i < 32; ++i) host[i] = i;
  CHECK(cudaMalloc(&data, sizeof(host)));
  CHECK(cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice));
  check_values<<<1, 16>>>(data);
  std::printf("all well: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  check_values<<<1, 32>>>(data);
  std::printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("wait: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  std::printf("last: %s\n", cudaGetErrorString(cudaGetLastError()));
  std::printf("malloc: %s\n", cudaGetErrorName(cudaMalloc(&data, 4)));
  std::printf("copy: %s\n", cudaGetErrorName(cudaMemcpy(host, data, 4, cudaMemcpyDeviceToHost)));
}
