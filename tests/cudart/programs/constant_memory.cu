// Constant memory: uniform and divergent reads, structures, 48 KiB of it.
#include <vector>

#include "check.h"

struct Filter {
  int taps;
  float weight[9];
};
__constant__ Filter filter;
__constant__ int big[12000];

__global__ void convolve(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int t = 0; t < filter.taps; ++t) {
    const int at = i + t - filter.taps / 2;
    if (at >= 0 && at < n) sum += in[at] * filter.weight[t];
  }
  out[i] = sum;
}
__global__ void lookup(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = big[(i * 7919) % 12000];
}

int main() {
  Filter f{5, {1, 2, 4, 2, 1}};
  CHECK(cudaMemcpyToSymbol(filter, &f, sizeof(f)));
  std::vector<int> values(12000);
  for (int i = 0; i < 12000; ++i) values[i] = i * 3 + 1;
  CHECK(cudaMemcpyToSymbol(big, values.data(), sizeof(big)));
  const int n = 600;
  std::vector<float> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = (float)(i % 17);
  float *din, *dout;
  int* dint;
  CHECK(cudaMalloc(&din, n * 4));
  CHECK(cudaMalloc(&dout, n * 4));
  CHECK(cudaMalloc(&dint, n * 4));
  CHECK(cudaMemcpy(din, in.data(), n * 4, cudaMemcpyHostToDevice));
  convolve<<<3, 256>>>(din, dout, n);
  lookup<<<3, 256>>>(dint, n);
  CHECK(cudaMemcpy(out.data(), dout, n * 4, cudaMemcpyDeviceToHost));
  std::vector<int> looked(n);
  CHECK(cudaMemcpy(looked.data(), dint, n * 4, cudaMemcpyDeviceToHost));
  std::printf("%08x %08x %.1f %d\n", checksum(out.data(), n * 4), checksum(looked.data(), n * 4), out[100], looked[5]);
}
