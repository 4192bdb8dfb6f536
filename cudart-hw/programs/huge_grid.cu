// A grid of many blocks, and one with the largest y and z.
#include "check.h"

__global__ void count(unsigned long long* sum, unsigned modulus) {
  const unsigned long long id = ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  if (threadIdx.x == 0 && id % modulus == 0) atomicAdd(sum, id);
}

int main(int argc, char** argv) {
  const unsigned blocks = argc > 1 ? atoi(argv[1]) : 20000;
  unsigned long long *sum, host;
  CHECK(cudaMalloc(&sum, 8));
  CHECK(cudaMemset(sum, 0, 8));
  count<<<blocks, 32>>>(sum, 1000);
  CHECK(cudaMemcpy(&host, sum, 8, cudaMemcpyDeviceToHost));
  std::printf("%llu\n", host);
  CHECK(cudaMemset(sum, 0, 8));
  count<<<dim3(1, blocks / 4 > 65535 ? 65535 : blocks / 4, 1), 32>>>(sum, 100);
  count<<<dim3(1, 1, blocks / 4 > 65535 ? 65535 : blocks / 4), 32>>>(sum, 100);
  CHECK(cudaMemcpy(&host, sum, 8, cudaMemcpyDeviceToHost));
  std::printf("%llu\n", host);
  count<<<dim3(1, 65536), 32>>>(sum, 1);
  std::printf("y too large: %s\n", cudaGetErrorName(cudaGetLastError()));
}
