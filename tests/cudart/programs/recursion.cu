// Recursion on the device: each lane to its own depth.
#include "check.h"

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__device__ void quicksort(int* data, int left, int right) {
  if (left >= right) return;
  const int pivot = data[(left + right) / 2];
  int i = left, j = right;
  while (i <= j) {
    while (data[i] < pivot) ++i;
    while (data[j] > pivot) --j;
    if (i <= j) {
      const int t = data[i];
      data[i++] = data[j];
      data[j--] = t;
    }
  }
  quicksort(data, left, j);
  quicksort(data, i, right);
}

__global__ void run(int* out, int* arrays) {
  const int i = threadIdx.x;
  out[i] = fibonacci(i % 13);
  out[32 + i] = ackermann(i % 3, i % 4);
  quicksort(arrays + i * 20, 0, 19);
}

int main() {
  int *out, *arrays;
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  CHECK(cudaMalloc(&out, 64 * 4));
  CHECK(cudaMalloc(&arrays, 640 * 4));
  int host[640];
  unsigned seed = 1;
  for (int& x : host) x = (int)((seed = seed * 1664525u + 1013904223u) >> 8) % 1000;
  CHECK(cudaMemcpy(arrays, host, sizeof(host), cudaMemcpyHostToDevice));
  run<<<1, 32>>>(out, arrays);
  CHECK(cudaDeviceSynchronize());
  int results[64];
  CHECK(cudaMemcpy(results, out, sizeof(results), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(host, arrays, sizeof(host), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 16; ++i) std::printf("%d ", results[i]);
  std::printf("| ");
  for (int i = 0; i < 12; ++i) std::printf("%d ", results[32 + i]);
  int unsorted = 0;
  for (int a = 0; a < 32; ++a)
    for (int k = 1; k < 20; ++k) unsorted += host[a * 20 + k - 1] > host[a * 20 + k];
  std::printf("| unsorted %d %08x\n", unsorted, checksum(host, sizeof(host)));
}
