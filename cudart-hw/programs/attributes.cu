// Attributes of kernels and of the device, as far as all GPUs agree on them.
#include <cstring>

#include "check.h"

__global__ void plain(int* out) { out[threadIdx.x] = 1; }
__global__ void __launch_bounds__(128) bounded(int* out) {
  __shared__ int values[100];
  values[threadIdx.x % 100] = 1;
  __syncthreads();
  out[threadIdx.x] = values[5];
}

int main() {
  cudaFuncAttributes a;
  CHECK(cudaFuncGetAttributes(&a, plain));
  std::printf("plain: shared %zu, threads %d, registers %d, ptx %d\n", a.sharedSizeBytes, a.maxThreadsPerBlock,
              a.numRegs > 0, a.ptxVersion >= 50);
  CHECK(cudaFuncGetAttributes(&a, bounded));
  std::printf("bounded: shared %zu, threads %d\n", a.sharedSizeBytes, a.maxThreadsPerBlock);
  int count, device, value, driver, runtime;
  CHECK(cudaGetDeviceCount(&count));
  CHECK(cudaGetDevice(&device));
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, device));
  std::printf("devices %d, device %d, warp %d, threads %d, dim %d %d %d, grid %d %d %d\n", count > 0, device,
              p.warpSize, p.maxThreadsPerBlock, p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2],
              p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
  std::printf("named %d, memory %d, shared %zu, constant %zu, unified %d, managed %d\n", strlen(p.name) > 0,
              p.totalGlobalMem > (1u << 30), p.sharedMemPerBlock, p.totalConstMem, p.unifiedAddressing,
              p.managedMemory);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, device));
  std::printf("same SMs %d\n", value == p.multiProcessorCount && value > 0);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, device));
  std::printf("same capability %d\n", value == p.major);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  std::printf("same shared %d\n", (size_t)value == p.sharedMemPerBlockOptin);
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  std::printf("same threads %d\n", value == p.maxThreadsPerMultiProcessor);
  CHECK(cudaDriverGetVersion(&driver));
  CHECK(cudaRuntimeGetVersion(&runtime));
  std::printf("versions %d\n", driver >= runtime && runtime == CUDART_VERSION);
  size_t free_bytes, total;
  CHECK(cudaMemGetInfo(&free_bytes, &total));
  std::printf("memory %d\n", free_bytes <= total && total > 0);
}
