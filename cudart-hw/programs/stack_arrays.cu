// Local arrays with dynamic indices, structures on the stack, a switch with many cases.
#include "check.h"

struct Matrix {
  int m[4][4];
};
__device__ __noinline__ Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      c.m[i][j] = 0;
      for (int k = 0; k < 4; ++k) c.m[i][j] += a.m[i][k] * b.m[k][j];
    }
  return c;
}
__device__ int dispatch(int op, int x) {
  switch (op) {
    case 0:
      return x + 1;
    case 1:
      return x * 3;
    case 2:
      return x ^ 0x55;
    case 3:
      return x - 100;
    case 4:
      return x << 2;
    case 5:
      return x / 3;
    case 6:
      return -x;
    case 7:
      return x % 7;
    case 8:
      return ~x;
    default:
      return 0;
  }
}
__global__ void run(int* out) {
  const int t = threadIdx.x;
  Matrix a, b;
  int local[64];
  for (int i = 0; i < 64; ++i) local[(i * 5 + t) % 64] = i;
  for (int i = 0; i < 16; ++i) a.m[i / 4][i % 4] = local[(i + t) % 64] % 10, b.m[i % 4][i / 4] = (i + t) % 5;
  const Matrix c = product(product(a, b), a);
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum = sum * 3 + c.m[i / 4][i % 4];
  for (int i = 0; i < 20; ++i) sum = dispatch((t + i) % 11, sum);
  out[t] = sum;
}

int main() {
  int *out, host[96];
  CHECK(cudaMalloc(&out, sizeof(host)));
  run<<<1, 96>>>(out);
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  std::printf("%d %d %d %08x\n", host[0], host[33], host[95], checksum(host, sizeof(host)));
}
