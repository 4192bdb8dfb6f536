// Every thread follows its own chain of dependent loads over a random permutation of lines.
#include "heddle_cuda.h"

// next[32 i]: the line after line i. Thread t begins at line t * spread.
extern "C" __global__ void chase_random(const unsigned* next, unsigned threads, unsigned spread, unsigned* end) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads) return;
  unsigned at = t * spread;
#pragma unroll
  for (int step = 0; step < 8; ++step) at = next[(size_t)at * 32];
  end[t] = at;
}
