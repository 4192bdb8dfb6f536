// Copies and frees with wrong arguments: codes, and that the program goes on.
#include "check.h"

#define SHOW(call) std::printf("%s: %s\n", #call, cudaGetErrorName(call))

int main() {
  int host[16] = {}, *device;
  CHECK(cudaMalloc(&device, 64));
  SHOW(cudaMemcpy(device, host, 64, (cudaMemcpyKind)7));
  SHOW(cudaMemcpy(nullptr, host, 64, cudaMemcpyHostToDevice));
  SHOW(cudaMemcpy(device, host, 0, cudaMemcpyHostToDevice));
  SHOW(cudaMemcpy(nullptr, host, 0, cudaMemcpyHostToDevice));
  SHOW(cudaMemset(nullptr, 0, 16));
  SHOW(cudaMemcpy2D(device, 8, host, 16, 12, 2, cudaMemcpyHostToDevice));
  SHOW(cudaFree(nullptr));
  SHOW(cudaFree(device + 1));
  SHOW(cudaFreeHost(host));
  SHOW(cudaMalloc(nullptr, 16));
  void* nothing = host;
  SHOW(cudaMalloc(&nothing, 0));
  std::printf("of nothing: %d\n", nothing == nullptr);
  SHOW(cudaMalloc(&nothing, (size_t)1 << 60));
  SHOW(cudaMallocManaged(&nothing, 0));
  SHOW(cudaSetDevice(77));
  SHOW(cudaSetDevice(-1));
  int value;
  SHOW(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)100000, 0));
  cudaDeviceProp properties;
  SHOW(cudaGetDeviceProperties(&properties, 99));
  SHOW(cudaGetLastError());
  SHOW(cudaGetLastError());
  SHOW(cudaFree(device));
  SHOW(cudaFree(device));
}
