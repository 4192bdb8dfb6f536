// The triad of the STREAM benchmark: c = a + s * b, one element per thread.
#include "heddle_cuda.h"

extern "C" __global__ void __launch_bounds__(128)
    triad(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, float s, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) c[i] = fmaf(s, b[i], a[i]);
}
