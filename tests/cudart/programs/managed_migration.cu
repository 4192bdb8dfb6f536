// Managed memory that moves between host and device: results, prefetches and advice, and arguments that are refused.
#include <unistd.h>

#include "check.h"

__global__ void add(int* data, int n, int value) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) data[i] += value;
}
__global__ void sum_all(const int* data, int n, unsigned long long* sum) {
  unsigned long long own = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += data[i];
  atomicAdd(sum, own);
}
__managed__ int table[5000];

static const int kCount = 1 << 20;
static void expect(const char* what, const int* data, int value) {
  int wrong = 0;
  for (int i = 0; i < kCount; ++i) wrong += data[i] != i + value;
  std::printf("%s: %d wrong\n", what, wrong);
}
static void refuse(const char* what, cudaError_t error) {
  std::printf("%s: %s\n", what, cudaGetErrorName(error));
  cudaGetLastError();
}

int main() {
  cudaMemLocation device{}, host{}, other{}, none{};
  device.type = cudaMemLocationTypeDevice;
  host.type = cudaMemLocationTypeHost;
  other.type = cudaMemLocationTypeDevice;
  other.id = 77;
  int* data;
  unsigned long long* sum;
  CHECK(cudaMallocManaged(&data, kCount * sizeof(int)));
  CHECK(cudaMallocManaged(&sum, sizeof(*sum)));

  for (int i = 0; i < kCount; ++i) data[i] = i;
  add<<<64, 256>>>(data, kCount, 1);
  CHECK(cudaDeviceSynchronize());
  expect("by faults", data, 1);
  add<<<64, 256>>>(data, kCount, 1);
  add<<<64, 256>>>(data, kCount, 1);
  CHECK(cudaDeviceSynchronize());
  data[5] -= 1;
  data[5] += 1;
  add<<<64, 256>>>(data, kCount, 1);
  CHECK(cudaDeviceSynchronize());
  expect("back and forth", data, 4);

  CHECK(cudaMemPrefetchAsync(data, kCount * sizeof(int), device, 0, 0));
  add<<<64, 256>>>(data, kCount, 1);
  CHECK(cudaMemPrefetchAsync(data, kCount * sizeof(int), host, 0, 0));
  CHECK(cudaDeviceSynchronize());
  expect("prefetched", data, 5);

  CHECK(cudaMemAdvise(data, kCount * sizeof(int), cudaMemAdviseSetReadMostly, device));
  *sum = 0;
  sum_all<<<64, 256>>>(data, kCount, sum);
  CHECK(cudaDeviceSynchronize());
  std::printf("sum %llu\n", *sum);
  expect("read on both sides", data, 5);
  data[1000] += 7;  // the device's copy must not be read any more
  *sum = 0;
  sum_all<<<64, 256>>>(data, kCount, sum);
  CHECK(cudaDeviceSynchronize());
  std::printf("sum %llu\n", *sum);
  data[1000] -= 7;
  add<<<64, 256>>>(data, kCount, 1);
  CHECK(cudaDeviceSynchronize());
  expect("written on the device", data, 6);
  CHECK(cudaMemAdvise(data, kCount * sizeof(int), cudaMemAdviseUnsetReadMostly, device));

  CHECK(cudaMemAdvise(data, kCount * sizeof(int), cudaMemAdviseSetPreferredLocation, host));
  CHECK(cudaMemAdvise(data, kCount * sizeof(int), cudaMemAdviseSetAccessedBy, device));
  add<<<64, 256>>>(data, kCount, 1);
  CHECK(cudaDeviceSynchronize());
  expect("mapped", data, 7);
  CHECK(cudaMemAdvise(data, kCount * sizeof(int), cudaMemAdviseUnsetAccessedBy, device));
  CHECK(cudaMemAdvise(data, kCount * sizeof(int), cudaMemAdviseUnsetPreferredLocation, device));

  // System calls write and read managed memory like any other.
  int ends[2];
  if (pipe(ends) != 0) return 1;
  add<<<64, 256>>>(data, kCount, 1);
  CHECK(cudaDeviceSynchronize());
  const bool written = write(ends[1], data + 2000, 4096) == 4096;
  add<<<64, 256>>>(data, kCount, 1);
  CHECK(cudaDeviceSynchronize());
  const bool read_back = read(ends[0], data + 2000, 4096) == 4096;
  std::printf("system calls: %d %d\n", written, read_back);
  for (int i = 2000; i < 2000 + 1024; ++i) data[i] += 1;
  add<<<64, 256>>>(data, kCount, 1);
  CHECK(cudaDeviceSynchronize());
  expect("after system calls", data, 10);

  for (int i = 0; i < 5000; ++i) table[i] = i;
  add<<<4, 256>>>(table, 5000, 3);
  CHECK(cudaMemPrefetchAsync(table, sizeof(table), device, 0, 0));
  CHECK(cudaDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < 5000; ++i) wrong += table[i] != i + 3;
  std::printf("a variable: %d wrong\n", wrong);

  int* plain;
  CHECK(cudaMalloc(&plain, 4096));
  refuse("prefetch device memory", cudaMemPrefetchAsync(plain, 4096, device, 0, 0));
  refuse("prefetch null", cudaMemPrefetchAsync(nullptr, 4096, device, 0, 0));
  refuse("prefetch nothing", cudaMemPrefetchAsync(data, 0, device, 0, 0));
  refuse("prefetch too much", cudaMemPrefetchAsync(data, size_t{1} << 40, device, 0, 0));
  refuse("prefetch to another device", cudaMemPrefetchAsync(data, 4096, other, 0, 0));
  refuse("prefetch to nowhere", cudaMemPrefetchAsync(data, 4096, none, 0, 0));
  refuse("prefetch with flags", cudaMemPrefetchAsync(data, 4096, device, 1, 0));
  refuse("advise device memory", cudaMemAdvise(plain, 4096, cudaMemAdviseSetReadMostly, device));
  refuse("advise null", cudaMemAdvise(nullptr, 4096, cudaMemAdviseSetReadMostly, device));
  refuse("advise nothing", cudaMemAdvise(data, 0, cudaMemAdviseSetReadMostly, device));
  refuse("advise too much", cudaMemAdvise(data, size_t{1} << 40, cudaMemAdviseSetReadMostly, device));
  refuse("advise what", cudaMemAdvise(data, 4096, static_cast<cudaMemoryAdvise>(99), device));
  refuse("advise zero", cudaMemAdvise(data, 4096, static_cast<cudaMemoryAdvise>(0), device));
  refuse("prefer another device", cudaMemAdvise(data, 4096, cudaMemAdviseSetPreferredLocation, other));
  refuse("accessed by another device", cudaMemAdvise(data, 4096, cudaMemAdviseSetAccessedBy, other));
  refuse("prefer nowhere", cudaMemAdvise(data, 4096, cudaMemAdviseSetPreferredLocation, none));
  CHECK(cudaFree(plain));
  CHECK(cudaFree(data));
  CHECK(cudaFree(sum));
}
