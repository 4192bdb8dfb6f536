// A chain of dependent loads, one thread: the time of a load, whichever level answers it.
#include "heddle_cuda.h"

typedef unsigned long long Address;

static __device__ __forceinline__ Address load_ca(Address at) {
  Address value;
  asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
  return value;
}

static __device__ __forceinline__ Address load_cg(Address at) {
  Address value;
  asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
  return value;
}

// Reads every line once, so that the L2 holds what fits.
extern "C" __global__ void touch(const Address* lines, unsigned count, unsigned* unused) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count && load_cg((Address)(lines + (size_t)i * 16)) == 0) *unused = i;
}

// Follows `warm` links, then `steps` more on the clock. result: where it ended, cycles. Both counts: multiples of 8.
#define CHASE(name, load)                                                                       \
  extern "C" __global__ void name(Address at, unsigned warm, unsigned steps, Address* result) { \
    for (unsigned i = 0; i < warm; i += 8) {                                                    \
      _Pragma("unroll") for (int j = 0; j < 8; ++j) at = load(at);                              \
    }                                                                                           \
    const long long began = clock64();                                                          \
    for (unsigned i = 0; i < steps; i += 8) {                                                   \
      _Pragma("unroll") for (int j = 0; j < 8; ++j) at = load(at);                              \
    }                                                                                           \
    /* The clock is read when the last load has answered, not before. */                        \
    result[0] = at;                                                                             \
    const long long wait = at == 0 ? 1 : 0;                                                     \
    result[1] = (Address)(clock64() - began + wait);                                            \
  }

CHASE(chase_ca, load_ca)
CHASE(chase_cg, load_cg)
