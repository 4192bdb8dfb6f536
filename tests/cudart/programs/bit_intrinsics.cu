// Integer and bit intrinsics.
#include "check.h"

__global__ void run(const unsigned* in, unsigned* out) {
  const int i = threadIdx.x;
  const unsigned x = in[i], y = in[(i + 9) % 64];
  unsigned r[16];
  r[0] = __popc(x) + 100 * __clz(x) + 10000 * __ffs(x);
  r[1] = __brev(x);
  r[2] = __byte_perm(x, y, 0x5140);
  r[3] = __funnelshift_l(x, y, i % 32);
  r[4] = __funnelshift_r(x, y, i % 32);
  r[5] = __umulhi(x, y);
  r[6] = (unsigned)__mulhi((int)x, (int)y);
  r[7] = __sad((int)x >> 8, (int)y >> 8, i);
  r[8] = __dp4a((int)x, (int)y, i);
  r[9] = __vadd4(x, y);
  r[10] = __vavgu4(x, y);
  r[11] = __usad(x, y, 3);
  r[12] = (unsigned)__popcll(((unsigned long long)x << 32) | y) + 100 * __clzll((long long)x);
  r[13] = (unsigned)(__brevll(((unsigned long long)x << 32) | y) >> 13);
  r[14] = __uhadd(x, y) ^ __urhadd(x, y);
  r[15] = __mul24((int)x, (int)y) + __umul24(x, y);
  for (int k = 0; k < 16; ++k) out[k * 64 + i] = r[k];
}

int main() {
  unsigned in[64], *din, *out, host[1024], seed = 42;
  for (unsigned& x : in) x = seed = seed * 1664525u + 1013904223u;
  in[0] = 0;
  in[1] = ~0u;
  CHECK(cudaMalloc(&din, sizeof(in)));
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMemcpy(din, in, sizeof(in), cudaMemcpyHostToDevice));
  run<<<1, 64>>>(din, out);
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  for (int k = 0; k < 16; ++k)
    std::printf("%08x %08x %08x\n", host[k * 64], host[k * 64 + 30], checksum(host + k * 64, 256));
}
