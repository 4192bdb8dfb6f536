// Events: time between them is positive and adds up; queries and waits answer; wrong uses are errors.
#include "check.h"

__global__ void spin(int n, float* out) {
  float x = 1.0f;
  for (int i = 0; i < n; ++i) x = x * 1.0001f + 0.5f;
  out[threadIdx.x] = x;
}

int main() {
  float* out;
  CHECK(cudaMalloc(&out, 128));
  cudaEvent_t a, b, c, silent;
  CHECK(cudaEventCreate(&a));
  CHECK(cudaEventCreate(&b));
  CHECK(cudaEventCreateWithFlags(&c, cudaEventBlockingSync));
  CHECK(cudaEventCreateWithFlags(&silent, cudaEventDisableTiming));
  float ms = -1, ms2 = -1, ms3 = -1;
  std::printf("not recorded: %s\n", cudaGetErrorName(cudaEventElapsedTime(&ms, a, b)));
  CHECK(cudaEventRecord(a));
  spin<<<1, 32>>>(2000, out);
  CHECK(cudaEventRecord(b));
  spin<<<1, 32>>>(200, out);
  CHECK(cudaEventRecord(c, 0));
  CHECK(cudaEventRecord(silent));
  CHECK(cudaEventSynchronize(c));
  CHECK(cudaEventQuery(b));
  CHECK(cudaEventElapsedTime(&ms, a, b));
  CHECK(cudaEventElapsedTime(&ms2, b, c));
  CHECK(cudaEventElapsedTime(&ms3, a, c));
  std::printf("positive: %d %d %d\n", ms > 0, ms2 > 0, ms3 > 0);
  std::printf("adds up: %d\n", ms3 > (ms + ms2) * 0.99f && ms3 < (ms + ms2) * 1.01f);
  std::printf("without timing: %s\n", cudaGetErrorName(cudaEventElapsedTime(&ms, a, silent)));
  cudaGetLastError();
  CHECK(cudaEventDestroy(a));
  CHECK(cudaEventDestroy(b));
  CHECK(cudaEventDestroy(c));
  CHECK(cudaEventDestroy(silent));
  std::printf("last: %s\n", cudaGetErrorName(cudaGetLastError()));
}
