// Launching without <<<>>>: cudaLaunchKernel, cudaLaunchKernelEx, many arguments, large structures by value.
#include "check.h"

struct Big {
  int values[200];
  double scale;
};
struct __align__(16) Aligned {
  char c;
  double2 d;
};

__global__ void take(Big big, char c, short s, Aligned a, int* out, bool flag, float f, long long l) {
  if (threadIdx.x == 0)
    out[0] = (int)(big.values[199] * big.scale) + c + s + (int)a.d.y + a.c + flag + (int)f + (int)(l >> 32);
  out[1 + threadIdx.x] = big.values[threadIdx.x];
}

int main() {
  Big big;
  for (int i = 0; i < 200; ++i) big.values[i] = i * 3;
  big.scale = 2.0;
  char c = 7;
  short s = -300;
  Aligned a{5, {1.0, 42.0}};
  int *out, host[33];
  bool flag = true;
  float f = 9.75f;
  long long l = 3ll << 32;
  CHECK(cudaMalloc(&out, sizeof(host)));
  void* arguments[] = {&big, &c, &s, &a, &out, &flag, &f, &l};
  CHECK(cudaLaunchKernel((const void*)take, dim3(1), dim3(32), arguments, 0, 0));
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  std::printf("%d %08x\n", host[0], checksum(host, sizeof(host)));
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = dim3(1);
  configuration.blockDim = dim3(32);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributePriority;
  attribute.val.priority = 0;
  configuration.attrs = &attribute;
  configuration.numAttrs = 1;
  l = 11ll << 32;
  CHECK(cudaLaunchKernelEx(&configuration, take, big, c, s, a, out, flag, f, l));
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  std::printf("%d %08x\n", host[0], checksum(host, sizeof(host)));
}
