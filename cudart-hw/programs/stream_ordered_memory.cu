// Memory that is allocated and freed in stream order.
#include "check.h"

__global__ void fill(int* data, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = value * i;
}

int main() {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  int host[3][200];
  for (int r = 0; r < 3; ++r) {
    int* data;
    CHECK(cudaMallocAsync((void**)&data, 800, stream));
    fill<<<2, 128, 0, stream>>>(data, 200, r + 2);
    CHECK(cudaMemcpyAsync(host[r], data, 800, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(data, stream));
  }
  CHECK(cudaStreamSynchronize(stream));
  std::printf("%d %d %d %08x\n", host[0][199], host[1][199], host[2][199], checksum(host, sizeof(host)));
}
