#include "check.h"

static __device__ int global = 40;
static __global__ void kernel(int* out) { out[1] = ++global; }
void other_unit(int* out) {
  kernel<<<1, 1>>>(out);
  kernel<<<1, 1>>>(out);
}
int other_global() {
  int value;
  CHECK(cudaMemcpyFromSymbol(&value, global, sizeof(value)));
  return value;
}
