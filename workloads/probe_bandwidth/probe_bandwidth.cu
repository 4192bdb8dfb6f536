// A stream of wide loads from every SM: bytes per second of the level that holds the footprint.
#include "heddle_cuda.h"

static __device__ __forceinline__ unsigned load_sum(const uint4* at) {
  unsigned x, y, z, w;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(at) : "memory");
  return x + y + z + w;
}

// Every thread adds up its share of `count` 16-byte words, `passes` times over; four loads are on their way at a time.
extern "C" __global__ void stream_read(const uint4* words, unsigned count, unsigned passes, unsigned* sums) {
  const unsigned threads = gridDim.x * blockDim.x;
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (unsigned pass = 0; pass < passes; ++pass) {
    unsigned i = me;
    for (; i + 3 * threads < count; i += 4 * threads) {
      unsigned x[4], y[4], z[4], w[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x[j]), "=r"(y[j]), "=r"(z[j]), "=r"(w[j])
                     : "l"(words + i + j * threads)
                     : "memory");
      }
#pragma unroll
      for (int j = 0; j < 4; ++j) sum += x[j] + y[j] + z[j] + w[j];
    }
    for (; i < count; i += threads) sum += load_sum(words + i);
  }
  sums[me] = sum;
}
