// Votes, ballots, matches, reductions and active masks, in convergent and divergent code.
#include "check.h"

__global__ void run(unsigned* out) {
  const unsigned all = 0xffffffffu;
  const int i = threadIdx.x;
  out[i] = __ballot_sync(all, i % 3 == 0);
  out[32 + i] = __any_sync(all, i == 40) * 2 + __all_sync(all, i < 32);
  out[64 + i] = __activemask();
  if (i < 10) {
    out[96 + i] = __ballot_sync(0x3ffu, i & 1);
  } else {
    out[96 + i] = __ballot_sync(0xfffffc00u, i % 5 == 0);
  }
  out[128 + i] = __popc(__ballot_sync(all, i > 20)) + __ffs(__ballot_sync(all, i > 7));
#if __CUDA_ARCH__ >= 700
  out[160 + i] = __match_any_sync(all, i / 5);
  int same;
  out[192 + i] = __match_all_sync(all, i / 64, &same) + (same ? 1 : 0);
#endif
  __syncwarp();
  out[224 + i] = __syncthreads_count(i % 2) + 100 * __syncthreads_or(i == 3) + 1000 * __syncthreads_and(i < 31);
}

int main() {
  unsigned *out, host[256];
  CHECK(cudaMalloc(&out, sizeof(host)));
  run<<<1, 32>>>(out);
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  for (int row = 0; row < 8; ++row)
    std::printf("%08x %08x %08x | %08x\n", host[row * 32], host[row * 32 + 11], host[row * 32 + 31],
                checksum(host + row * 32, 128));
}
