// __managed__ variables, with initial values, touched by the host before any call.
#include "check.h"

__managed__ int counter = 5;
__managed__ float table[4] = {1.0f, 2.5f, -3.0f, 4.0f};
__device__ __managed__ int* pointer;

__global__ void update() {
  atomicAdd(&counter, 10);
  if (threadIdx.x < 4) table[threadIdx.x] *= 2;
  if (threadIdx.x == 0 && pointer != nullptr) *pointer = 77;
}

int main() {
  std::printf("before: %d %.1f\n", counter, table[2]);
  counter = 100;
  int* target;
  CHECK(cudaMallocManaged(&target, sizeof(int)));
  pointer = target;
  update<<<1, 32>>>();
  CHECK(cudaDeviceSynchronize());
  std::printf("after: %d, %.1f %.1f %.1f %.1f, %d\n", counter, table[0], table[1], table[2], table[3], *target);
}
