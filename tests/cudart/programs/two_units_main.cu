// Two translation units without relocatable device code: two modules, each with its own static kernel of one name.
#include "check.h"

static __global__ void kernel(int* out) { out[0] = 1; }
void other_unit(int* out);
int other_global();

int main() {
  int* out;
  CHECK(cudaMalloc(&out, 8));
  kernel<<<1, 1>>>(out);
  other_unit(out);
  int host[2];
  CHECK(cudaMemcpy(host, out, 8, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d\n", host[0], host[1], other_global());
}
