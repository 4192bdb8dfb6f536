// Functions of many arguments that are not inlined, results through pointers, structures returned.
#include "check.h"

struct Triple {
  double a;
  int b;
  char c;
};
__device__ __noinline__ Triple mix(int a, long long b, float c, double d, short e, unsigned char f, int* g, Triple t,
                                   int h, int i, int j, int k) {
  *g += a + h * i - j + k;
  t.a = t.a * d + c;
  t.b += (int)(b >> 3) + e;
  t.c = (char)(t.c + f);
  return t;
}
__device__ __noinline__ float chain(float x, int depth) {
  return depth == 0 ? x : chain(x * 0.5f + depth, depth - 1) + 1.0f;
}

__global__ void run(double* out) {
  const int t = threadIdx.x;
  int side = t;
  Triple r{1.5 * t, t, (char)t};
  for (int k = 0; k < 3; ++k)
    r = mix(t, (long long)t << 20, 0.25f, 1.125, (short)-t, (unsigned char)(t * 3), &side, r, 1, 2, 3, k);
  out[t] = r.a + r.b + r.c + side + chain((float)t, t % 6);
}

int main() {
  double *out, host[64];
  CHECK(cudaMalloc(&out, sizeof(host)));
  run<<<1, 64>>>(out);
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  std::printf("%.9f %.9f %08x\n", host[5], host[63], checksum(host, sizeof(host)));
}
