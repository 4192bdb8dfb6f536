// A program that nvcc links with the shared runtime and that has no kernels: it registers nothing.
#include <cuda_runtime.h>

#include "check.h"

int main() {
  unsigned char* memory = nullptr;
  unsigned char bytes[64] = {};
  CHECK(cudaMalloc(reinterpret_cast<void**>(&memory), sizeof(bytes)));
  CHECK(cudaMemset(memory, 3, sizeof(bytes)));
  CHECK(cudaMemcpy(bytes, memory, sizeof(bytes), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(memory));
  int sum = 0;
  for (const unsigned char byte : bytes) sum += byte;
  std::printf("sum %d\n", sum);
}
