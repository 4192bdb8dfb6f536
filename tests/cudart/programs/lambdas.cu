// Lambdas as kernel arguments, with captures.
#include "check.h"

template <typename F>
__global__ void for_each(int n, F f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}

int main() {
  int *data, host[300], offset = 11;
  float scale = 1.5f;
  CHECK(cudaMalloc(&data, sizeof(host)));
  for_each<<<3, 128>>>(300, [=] __device__(int i) { data[i] = i + offset; });
  for_each<<<3, 128>>>(300, [data, scale] __device__(int i) { data[i] = (int)(data[i] * scale); });
  CHECK(cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost));
  std::printf("%d %d %08x\n", host[0], host[299], checksum(host, sizeof(host)));
}
