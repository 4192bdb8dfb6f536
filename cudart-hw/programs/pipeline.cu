// Copies and kernels in turns over two streams and double buffers.
#include <vector>

#include "check.h"

__global__ void work(const float* in, float* out, int n, float k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * k + 1.0f;
}

int main() {
  const int chunk = 512, chunks = 8;
  float *in, *out, *din[2], *dout[2];
  CHECK(cudaHostAlloc(&in, chunk * chunks * 4, cudaHostAllocDefault));
  CHECK(cudaHostAlloc(&out, chunk * chunks * 4, cudaHostAllocDefault));
  for (int i = 0; i < chunk * chunks; ++i) in[i] = (float)(i % 1000);
  cudaStream_t stream[2];
  for (int s = 0; s < 2; ++s) {
    CHECK(cudaStreamCreate(&stream[s]));
    CHECK(cudaMalloc(&din[s], chunk * 4));
    CHECK(cudaMalloc(&dout[s], chunk * 4));
  }
  for (int c = 0; c < chunks; ++c) {
    const int s = c % 2;
    CHECK(cudaMemcpyAsync(din[s], in + c * chunk, chunk * 4, cudaMemcpyHostToDevice, stream[s]));
    work<<<chunk / 128, 128, 0, stream[s]>>>(din[s], dout[s], chunk, (float)c);
    CHECK(cudaMemcpyAsync(out + c * chunk, dout[s], chunk * 4, cudaMemcpyDeviceToHost, stream[s]));
  }
  CHECK(cudaDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < chunk * chunks; ++i) wrong += out[i] != in[i] * (float)(i / chunk) + 1.0f;
  std::printf("%d wrong, %08x\n", wrong, checksum(out, chunk * chunks * 4));
}
