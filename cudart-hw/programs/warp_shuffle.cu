// Shuffles of all kinds and types, in widths below a warp, and sums over them.
#include "check.h"

__global__ void run(int* out, double* doubles, long long* longs) {
  const unsigned all = 0xffffffffu;
  const int i = threadIdx.x;
  out[i] = __shfl_sync(all, i * 3, (i + 5) % 32);
  out[32 + i] = __shfl_up_sync(all, i, 3);
  out[64 + i] = __shfl_down_sync(all, i, 4, 16);
  out[96 + i] = __shfl_xor_sync(all, i, 9);
  out[128 + i] = __shfl_sync(all, i, 2, 8);
  double d = i * 0.5;
  for (int offset = 16; offset > 0; offset /= 2) d += __shfl_down_sync(all, d, offset);
  doubles[i] = d;
  long long l = 1ll << i;
  for (int offset = 16; offset > 0; offset /= 2) l |= __shfl_xor_sync(all, l, offset);
  longs[i] = l;
  if (i % 2 == 0) out[160 + i] = __shfl_sync(0x55555555u, i, (i + 2) % 32);
  if (i % 2 == 1) out[160 + i] = __shfl_sync(0xaaaaaaaau, i, (i + 4) % 32);
}

int main() {
  int* out;
  double* doubles;
  long long* longs;
  CHECK(cudaMalloc(&out, 192 * 4));
  CHECK(cudaMalloc(&doubles, 32 * 8));
  CHECK(cudaMalloc(&longs, 32 * 8));
  run<<<1, 32>>>(out, doubles, longs);
  int host[192];
  double d[32];
  long long l[32];
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(d, doubles, sizeof(d), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(l, longs, sizeof(l), cudaMemcpyDeviceToHost));
  for (int row = 0; row < 6; ++row) {
    for (int i = 0; i < 12; ++i) std::printf("%d ", host[row * 32 + i]);
    std::printf("%08x\n", checksum(host + row * 32, 128));
  }
  std::printf("%.1f %lld\n", d[0], l[17]);
}
