// Batched Fourier transforms by Stockham's method, radix two: every stage is one launch that reads pairs half a
// transform apart and writes them next to each other in growing groups (Govindaraju and others, SC 2008). One block,
// one transform.
#include "heddle_cuda.h"

static const int kPoints = 256;

extern "C" __global__ void __launch_bounds__(128)
    fft_stage(int group, const float2* __restrict__ in, float2* __restrict__ out) {
  const int j = threadIdx.x, base = blockIdx.x * kPoints;
  const float angle = -3.14159265f * (float)(j % group) / (float)group;
  const float c = cosf(angle), s = sinf(angle);
  const float2 a = in[base + j];
  const float2 b = in[base + j + kPoints / 2];
  const float re = b.x * c - b.y * s, im = b.x * s + b.y * c;
  const int to = base + j / group * (2 * group) + j % group;
  out[to] = make_float2(a.x + re, a.y + im);
  out[to + group] = make_float2(a.x - re, a.y - im);
}
