// Clocks run forward.
#include "check.h"

__global__ void measure(long long* out, int n) {
  const long long begin = clock64();
  const clock_t begin32 = clock();
  float x = 1;
  for (int i = 0; i < n; ++i) x = x * 1.5f + 2.0f;
  const long long end = clock64();
  out[0] = end - begin;
  out[1] = clock() - begin32;
  out[2] = x > 0;
}

int main() {
  long long *out, few[3], many[3];
  CHECK(cudaMalloc(&out, 24));
  measure<<<1, 1>>>(out, 10);
  CHECK(cudaMemcpy(few, out, 24, cudaMemcpyDeviceToHost));
  measure<<<1, 1>>>(out, 1000);
  CHECK(cudaMemcpy(many, out, 24, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d %d\n", few[0] > 0, many[0] > few[0], few[1] > 0, (int)many[2]);
}
