// Random access: every thread walks its own part of the sequence of the HPC Challenge benchmark (a shift register over
// GF(2)) and flips table entries at random places. Every lane touches another line, and another page.
#include "heddle_cuda.h"

extern "C" __global__ void __launch_bounds__(256)
    gups_update(unsigned long long* __restrict__ table, unsigned mask, const unsigned long long* __restrict__ starts,
                unsigned threads, unsigned updates) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  unsigned long long value = starts[t];
  for (unsigned i = 0; i < updates; ++i) {
    // Not `sign ? 7 : 0`: clang 14 turns that into a bit-field extract past the top bit, which gives 1.
    const unsigned long long top = value >> 63;
    value = (value << 1) ^ (top << 2 | top << 1 | top);
    atomicXor(&table[value & mask], value);
  }
}
