// 64- and 128-bit integers: products, quotients, shifts.
#include "check.h"

__global__ void run(const long long* in, unsigned long long* out) {
  const int i = threadIdx.x;
  const long long x = in[i], y = in[(i + 5) % 32];
  const unsigned long long u = (unsigned long long)x, v = (unsigned long long)y;
  out[i] = (unsigned long long)(x / (y | 1)) ^ (unsigned long long)(x % (y | 1));
  out[32 + i] = u / (v | 1) + u % (v | 1);
  out[64 + i] = __umul64hi(u, v) + (unsigned long long)__mul64hi(x, y);
  out[96 + i] = (u << (i * 2)) ^ (u >> (63 - i)) ^ (unsigned long long)(x >> i);
  const unsigned __int128 wide = (unsigned __int128)u * v + u;
  out[128 + i] = (unsigned long long)(wide >> 64) ^ (unsigned long long)wide;
  out[160 + i] = (unsigned long long)(wide / (v | 12345));
}

int main() {
  long long in[32], *din;
  unsigned long long *out, host[192], seed = 7;
  for (long long& x : in) x = (long long)(seed = seed * 6364136223846793005ull + 1442695040888963407ull);
  in[3] = -1;
  in[4] = 1;
  in[5] = (long long)1 << 63;
  CHECK(cudaMalloc(&din, sizeof(in)));
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMemcpy(din, in, sizeof(in), cudaMemcpyHostToDevice));
  run<<<1, 32>>>(din, out);
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  for (int row = 0; row < 6; ++row)
    std::printf("%016llx %016llx %08x\n", host[row * 32], host[row * 32 + 17], checksum(host + row * 32, 256));
}
