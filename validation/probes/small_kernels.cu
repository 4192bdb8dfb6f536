// What each part of a small kernel costs, for a profiler.
#include <cstdio>
__global__ void k_empty() {}
__global__ void k_param_store1(int* p) { *p = 1; }
__global__ void k_store(int* p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void k_load(int* p) {
  if (p[blockIdx.x * blockDim.x + threadIdx.x] == 12345) p[0] = 1;
}
__global__ void k_loadstore(int* p, int* q) {
  q[blockIdx.x * blockDim.x + threadIdx.x] = p[blockIdx.x * blockDim.x + threadIdx.x];
}
__global__ void k_load2(int* p, int* q) {
  q[blockIdx.x * blockDim.x + threadIdx.x] = q[p[blockIdx.x * blockDim.x + threadIdx.x]];
}
__global__ void k_param(int n) {
  if (n == 12345) asm volatile("trap;");
}
int main() {
  int *p, *q;
  cudaMalloc(&p, 1 << 24);
  cudaMalloc(&q, 1 << 24);
  cudaMemset(p, 0, 1 << 24);
  cudaMemset(q, 0, 1 << 24);
  for (int b : {1, 36, 132, 1056, 8448})
    for (int r = 0; r < 3; r++) {
      k_empty<<<b, 256>>>();
      k_param<<<b, 256>>>(r);
      k_param_store1<<<b, 256>>>(p);
      k_store<<<b, 256>>>(p);
      k_load<<<b, 256>>>(p);
      k_loadstore<<<b, 256>>>(p, q);
      k_load2<<<b, 256>>>(q, p);
    }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
