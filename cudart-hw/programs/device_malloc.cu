// malloc and free in kernels, memory that outlives a kernel, and a heap that runs out.
#include "check.h"

__device__ int* kept[32];

__global__ void allocate(int size) {
  int* data = (int*)malloc(size * sizeof(int));
  if (data != nullptr)
    for (int i = 0; i < size; ++i) data[i] = threadIdx.x * 100 + i;
  kept[threadIdx.x] = data;
}
__global__ void use(int size, long long* sum) {
  long long total = 0;
  for (int i = 0; i < size; ++i) total += kept[threadIdx.x][i];
  atomicAdd((unsigned long long*)sum, (unsigned long long)total);
  free(kept[threadIdx.x]);
}
__global__ void exhaust(int* failed) {
  void* p = malloc((size_t)1 << 30);
  if (p == nullptr) atomicAdd(failed, 1);
}

int main() {
  long long *sum, host = 0;
  int *failed, count;
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
  CHECK(cudaMalloc(&sum, 8));
  CHECK(cudaMalloc(&failed, 4));
  CHECK(cudaMemset(sum, 0, 8));
  CHECK(cudaMemset(failed, 0, 4));
  allocate<<<1, 32>>>(20);
  use<<<1, 32>>>(20, sum);
  exhaust<<<1, 4>>>(failed);
  CHECK(cudaMemcpy(&host, sum, 8, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&count, failed, 4, cudaMemcpyDeviceToHost));
  std::printf("%lld, %d failed\n", host, count);
}
