// The legacy default stream waits for blocking streams and they wait for it.
#include "check.h"

__global__ void slow_write(int* flag, int value, int spin) {
  volatile int x = 0;
  for (int i = 0; i < spin; ++i) x = x + 1;
  *flag = value;
}
__global__ void copy_flag(const int* from, int* to) { *to = *from; }

int main() {
  int *flag, *seen;
  CHECK(cudaMalloc(&flag, 4));
  CHECK(cudaMalloc(&seen, 12));
  CHECK(cudaMemset(flag, 0, 4));
  cudaStream_t a, b;
  CHECK(cudaStreamCreate(&a));
  CHECK(cudaStreamCreate(&b));
  slow_write<<<1, 1, 0, a>>>(flag, 1, 3000);
  copy_flag<<<1, 1>>>(flag, seen);  // waits for a
  slow_write<<<1, 1>>>(flag, 2, 3000);
  copy_flag<<<1, 1, 0, b>>>(flag, seen + 1);  // waits for the default stream
  slow_write<<<1, 1, 0, b>>>(flag, 3, 100);
  int host[3] = {};
  CHECK(cudaMemcpy(host, seen, 8, cudaMemcpyDeviceToHost));  // waits for b
  CHECK(cudaMemcpy(host + 2, flag, 4, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d\n", host[0], host[1], host[2]);
  unsigned flags = 9;
  CHECK(cudaStreamGetFlags(a, &flags));
  std::printf("flags %u\n", flags);
  std::printf("bad handle: %s\n", cudaGetErrorName(cudaStreamCreate(nullptr)));
  CHECK(cudaStreamDestroy(a));
  CHECK(cudaStreamDestroy(b));
}
