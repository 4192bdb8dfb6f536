// Relocatable device code: functions, variables and a function pointer across units.
#include "check.h"
#include "relocatable.h"

__device__ int shared_counter = 100;
__constant__ int scale;
static __device__ const char* name() { return "main"; }

__global__ void run(int* out) {
  const int i = threadIdx.x;
  out[i] = other_function(i) + other_table[i % 4] + apply_twice(i % 2 ? doubled : tripled, i);
  if (i == 0) printf("unit %s and unit %s\n", name(), other_name());
}

int main() {
  int* out;
  CHECK(cudaMalloc(&out, 32 * 4));
  const int five = 5;
  CHECK(cudaMemcpyToSymbol(scale, &five, sizeof(five)));
  run<<<1, 32>>>(out);
  CHECK(cudaDeviceSynchronize());
  int host[32], counter;
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpyFromSymbol(&counter, shared_counter, sizeof(counter)));
  std::printf("%d %d %d %d, counter %d, %08x\n", host[0], host[1], host[2], host[31], counter,
              checksum(host, sizeof(host)));
  launch_other();
}
