// What a kernel prints when nobody waits for it: nothing arrives, or all of it at a reset.
#include "check.h"

__global__ void say(int n) { printf("kernel %d\n", n); }

int main() {
  say<<<1, 1>>>(1);
  std::printf("host 1\n");
  CHECK(cudaDeviceReset());
  std::printf("host 2\n");
  say<<<1, 1>>>(2);
  int* p;
  CHECK(cudaMalloc(&p, 4));
  std::printf("host 3\n");
  int host;
  CHECK(cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost));
  std::printf("host 4\n");
  say<<<1, 1>>>(3);
}
