// Chains of dependent instructions, one thread: the time from an instruction to one that needs its result.
#include "heddle_cuda.h"

// clang-format off
#define REPEAT_8(x) x x x x x x x x
#define REPEAT_128(x)                                                                                         \
  REPEAT_8(x)                                                                                                 \
  REPEAT_8(x)                                                                                                 \
  REPEAT_8(x) REPEAT_8(x) REPEAT_8(x) REPEAT_8(x) REPEAT_8(x) REPEAT_8(x) REPEAT_8(x) REPEAT_8(x) REPEAT_8(x) \
      REPEAT_8(x) REPEAT_8(x) REPEAT_8(x) REPEAT_8(x) REPEAT_8(x)
// clang-format on

// Two rounds of 128 links; the first fetches the instructions, the second is on the clock.
#define CHAIN(link)                         \
  long long began = 0;                      \
  for (int round = 0; round < 2; ++round) { \
    began = clock64();                      \
    REPEAT_128(link)                        \
  }

extern "C" __global__ void chain_fma(float x, float a, float b, float* value, long long* cycles) {
  CHAIN(asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b));)
  *value = x;
  *cycles = clock64() - began;
}

extern "C" __global__ void chain_add(unsigned x, unsigned a, unsigned* value, long long* cycles) {
  CHAIN(asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(a));)
  *value = x;
  *cycles = clock64() - began;
}

extern "C" __global__ void chain_ex2(float x, float* value, long long* cycles) {
  CHAIN(asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));)
  *value = x;
  *cycles = clock64() - began;
}

// Each word of shared memory holds the offset of the next; the addition makes it an address.
extern "C" __global__ void chain_shared(unsigned* value, long long* cycles) {
  __shared__ unsigned links[256];
  for (unsigned i = 0; i < 256; ++i) links[i] = (i + 1) % 256 * 4;
  unsigned base;
  asm volatile("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(base) : "l"(links));
  unsigned at = base;
  CHAIN(asm volatile("ld.shared.u32 %0, [%0]; add.u32 %0, %0, %1;" : "+r"(at) : "r"(base) : "memory");)
  *value = at - base;
  *cycles = clock64() - began;
}
