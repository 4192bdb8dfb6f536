// Launches that cannot be: codes, and that nothing sticks.
#include "check.h"

__global__ void kernel(int* out) { *out = 1; }
__global__ void __launch_bounds__(64) small(int* out) { *out = 2; }
__global__ void shared_heavy(int* out) {
  __shared__ int values[8192];
  values[threadIdx.x] = 3;
  __syncthreads();
  *out = values[0];
}

void report(const char* what) {
  const cudaError_t peeked = cudaPeekAtLastError(), got = cudaGetLastError(), then = cudaGetLastError();
  std::printf("%s: %s, same %d, then %s\n", what, cudaGetErrorName(got), peeked == got, cudaGetErrorName(then));
}

int main() {
  int *out, host = 0;
  CHECK(cudaMalloc(&out, 4));
  kernel<<<0, 32>>>(out);
  report("no blocks");
  kernel<<<1, 0>>>(out);
  report("no threads");
  kernel<<<1, 1025>>>(out);
  report("1025 threads");
  kernel<<<1, dim3(1, 1, 65)>>>(out);
  report("z of 65");
  kernel<<<1, dim3(32, 33)>>>(out);
  report("32 x 33");
  kernel<<<dim3(1, 70000), 1>>>(out);
  report("y of 70000");
  kernel<<<1, 1, 300000>>>(out);
  report("too much shared");
  shared_heavy<<<1, 32, 20000>>>(out);
  report("too much with static");
  small<<<1, 128>>>(out);
  report("more than launch bounds");
  void* arguments[] = {&out};
  std::printf("no such function: %s\n",
              cudaGetErrorName(cudaLaunchKernel((const void*)&host, dim3(1), dim3(1), arguments, 0, 0)));
  cudaGetLastError();
  kernel<<<1, 1>>>(out);
  CHECK(cudaMemcpy(&host, out, 4, cudaMemcpyDeviceToHost));
  std::printf("still works: %d\n", host);
}
