// An access out of bounds: reported at the next wait, and by every call after it.
#include "check.h"

__global__ void write(int* data, long long offset) { data[offset + threadIdx.x] = 1; }

int main() {
  int *data, host[4];
  CHECK(cudaMalloc(&data, 1024));
  write<<<1, 32>>>(data, 0);
  CHECK(cudaDeviceSynchronize());
  write<<<1, 32>>>(nullptr, 0);
  std::printf("launch: %s\n", cudaGetErrorName(cudaPeekAtLastError()));
  std::printf("wait: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  std::printf("text: %s\n", cudaGetErrorString(cudaGetLastError()));
  std::printf("again: %s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("malloc: %s\n", cudaGetErrorName(cudaMalloc(&data, 4)));
  std::printf("copy: %s\n", cudaGetErrorName(cudaMemcpy(host, data, 4, cudaMemcpyDeviceToHost)));
  write<<<1, 32>>>(data, 0);
  std::printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("free: %s\n", cudaGetErrorName(cudaFree(data)));
}
