// Blocks that pass a token through volatile memory, and float minimum by compare-and-swap.
#include "check.h"

__device__ float atomic_min(float* at, float value) {
  int old = __float_as_int(*at), seen;
  do {
    seen = old;
    if (__int_as_float(seen) <= value) break;
    old = atomicCAS((int*)at, seen, __float_as_int(value));
  } while (old != seen);
  return __int_as_float(old);
}

__global__ void relay(volatile int* token, int* order, float* least) {
  if (threadIdx.x == 0) {
    while (*token != (int)blockIdx.x) {
    }
    order[blockIdx.x] = *token * 2;
    __threadfence();
    *token = *token + 1;
  }
  atomic_min(least, 100.0f - blockIdx.x * 3.0f + threadIdx.x * 0.5f);
}

int main() {
  int *token, *order, host[12];
  float *least, start = 1e30f, result;
  CHECK(cudaMalloc(&token, 4));
  CHECK(cudaMalloc(&order, sizeof(host)));
  CHECK(cudaMalloc(&least, 4));
  CHECK(cudaMemset(token, 0, 4));
  CHECK(cudaMemcpy(least, &start, 4, cudaMemcpyHostToDevice));
  relay<<<12, 64>>>(token, order, least);
  CHECK(cudaMemcpy(host, order, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&result, least, 4, cudaMemcpyDeviceToHost));
  for (int x : host) std::printf("%d ", x);
  std::printf("%.1f\n", result);
}
