// Work in four streams, each in order, then joined by events; results do not depend on how they overlap.
#include <vector>

#include "check.h"

__global__ void step(int* data, int n, int multiplier, int addend) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    data[i] = data[i] * multiplier + addend;
}

__global__ void sum(const int* data, int n, int parts, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int total = 0;
  for (int p = 0; p < parts; ++p) total += data[p * n + i];
  out[i] = total;
}

int main() {
  constexpr int kStreams = 4, n = 2048;
  int *host, *device, *out;
  CHECK(cudaMallocHost(&host, kStreams * n * sizeof(int)));
  CHECK(cudaMalloc(&device, kStreams * n * sizeof(int)));
  CHECK(cudaMalloc(&out, n * sizeof(int)));
  for (int i = 0; i < kStreams * n; ++i) host[i] = i % 97;
  cudaStream_t stream[kStreams], join;
  cudaEvent_t done[kStreams];
  for (int s = 0; s < kStreams; ++s) {
    CHECK(cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&done[s], cudaEventDisableTiming));
  }
  CHECK(cudaStreamCreate(&join));
  for (int s = 0; s < kStreams; ++s) {
    CHECK(cudaMemcpyAsync(device + s * n, host + s * n, n * sizeof(int), cudaMemcpyHostToDevice, stream[s]));
    for (int r = 0; r < 3; ++r) step<<<4, 128, 0, stream[s]>>>(device + s * n, n, s + 2, r + 1);
    CHECK(cudaEventRecord(done[s], stream[s]));
    CHECK(cudaStreamWaitEvent(join, done[s], 0));
  }
  sum<<<n / 128, 128, 0, join>>>(device, n, kStreams, out);
  std::vector<int> result(n);
  CHECK(cudaMemcpyAsync(result.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost, join));
  CHECK(cudaStreamSynchronize(join));
  CHECK(cudaStreamQuery(join));
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    int expected = 0;
    for (int s = 0; s < kStreams; ++s) {
      int x = (s * n + i) % 97;
      for (int r = 0; r < 3; ++r) x = x * (s + 2) + r + 1;
      expected += x;
    }
    wrong += expected != result[i];
  }
  std::printf("%d wrong, checksum %08x\n", wrong, checksum(result.data(), n * sizeof(int)));
  for (int s = 0; s < kStreams; ++s) {
    CHECK(cudaStreamDestroy(stream[s]));
    CHECK(cudaEventDestroy(done[s]));
  }
  CHECK(cudaStreamDestroy(join));
  CHECK(cudaFreeHost(host));
}
