#include "check.h"
#include "relocatable.h"

__device__ int other_table[4] = {10, 20, 30, 40};
static __device__ const char* name() { return "other"; }

__device__ int other_function(int x) {
  atomicAdd(&shared_counter, 1);
  return x * scale;
}
__device__ int doubled(int x) { return 2 * x; }
__device__ int tripled(int x) { return 3 * x; }
__device__ __noinline__ int apply_twice(int (*f)(int), int x) { return f(f(x)); }
__device__ const char* other_name() { return name(); }

__global__ void show() { printf("counter %d, scale %d\n", shared_counter, scale); }
void launch_other() {
  show<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
}
