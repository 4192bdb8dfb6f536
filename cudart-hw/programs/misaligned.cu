// A misaligned access.
#include "check.h"

__global__ void read(const char* data, int* out) { *out = *reinterpret_cast<const int*>(data + 1); }

int main() {
  char* data;
  int* out;
  CHECK(cudaMalloc(&data, 64));
  CHECK(cudaMalloc(&out, 4));
  read<<<1, 1>>>(data, out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  std::printf("%s\n", cudaGetErrorString(cudaPeekAtLastError()));
}
