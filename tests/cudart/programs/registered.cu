// Host memory of the program's own that is registered for the GPU.
#include <cstdlib>

#include "check.h"

__global__ void add(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += 7;
}

int main() {
  const int n = 3000;
  int* data = (int*)aligned_alloc(4096, 3 * 4096);
  for (int i = 0; i < n; ++i) data[i] = i;
  CHECK(cudaHostRegister(data, 3 * 4096, cudaHostRegisterDefault));
  int* device;
  CHECK(cudaHostGetDevicePointer(&device, data, 0));
  add<<<12, 256>>>(device, n);
  CHECK(cudaDeviceSynchronize());
  std::printf("%d %d %08x\n", data[0], data[n - 1], checksum(data, n * 4));
  std::printf("twice: %s\n", cudaGetErrorName(cudaHostRegister(data, 3 * 4096, cudaHostRegisterDefault)));
  cudaGetLastError();
  CHECK(cudaHostUnregister(data));
  std::printf("not there: %s\n", cudaGetErrorName(cudaHostUnregister(data)));
  free(data);
}
