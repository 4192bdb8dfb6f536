// cudaDeviceReset: memory is gone, globals are as at the start, kernels run again.
#include "check.h"

__device__ int global = 7;
__global__ void bump(int* out) { *out = ++global; }

int main() {
  for (int r = 0; r < 3; ++r) {
    int *out, host;
    CHECK(cudaMalloc(&out, 4));
    bump<<<1, 1>>>(out);
    bump<<<1, 1>>>(out);
    CHECK(cudaMemcpy(&host, out, 4, cudaMemcpyDeviceToHost));
    std::printf("%d\n", host);
    CHECK(cudaDeviceReset());
  }
}
