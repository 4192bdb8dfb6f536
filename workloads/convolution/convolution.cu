// Separable convolution of an image with a 17-tap filter: one pass over rows, one over columns. A block keeps its strip
// and a halo on both sides in shared memory; the filter lies in constant memory. Each thread loads and computes eight
// results, one block width apart.
#include "heddle_cuda.h"

static const int kRadius = 8;
static const int kSteps = 8;  // results per thread
static const int kRowX = 16, kRowY = 4;
static const int kColumnX = 16, kColumnY = 8;

__constant__ float convolution_taps[2 * kRadius + 1];

extern "C" __global__ void __launch_bounds__(64)
    convolution_rows(float* __restrict__ out, const float* __restrict__ in, int width, int pitch) {
  __shared__ float strip[kRowY][(kSteps + 2) * kRowX];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int left = (blockIdx.x * kSteps - 1) * kRowX + tx, y = blockIdx.y * kRowY + ty;
  in += y * pitch + left;
  out += y * pitch + left;
#pragma unroll
  for (int i = 1; i <= kSteps; ++i) strip[ty][tx + i * kRowX] = in[i * kRowX];
  strip[ty][tx] = left >= 0 ? in[0] : 0.0f;
  strip[ty][tx + (kSteps + 1) * kRowX] = width - left > (kSteps + 1) * kRowX ? in[(kSteps + 1) * kRowX] : 0.0f;
  __syncthreads();
#pragma unroll
  for (int i = 1; i <= kSteps; ++i) {
    float sum = 0.0f;
#pragma unroll
    for (int j = -kRadius; j <= kRadius; ++j) {
      sum = fmaf(convolution_taps[kRadius - j], strip[ty][tx + i * kRowX + j], sum);
    }
    out[i * kRowX] = sum;
  }
}

extern "C" __global__ void __launch_bounds__(128)
    convolution_columns(float* __restrict__ out, const float* __restrict__ in, int height, int pitch) {
  __shared__ float strip[kColumnX][(kSteps + 2) * kColumnY + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * kColumnX + tx, top = (blockIdx.y * kSteps - 1) * kColumnY + ty;
  in += top * pitch + x;
  out += top * pitch + x;
#pragma unroll
  for (int i = 1; i <= kSteps; ++i) strip[tx][ty + i * kColumnY] = in[i * kColumnY * pitch];
  strip[tx][ty] = top >= 0 ? in[0] : 0.0f;
  strip[tx][ty + (kSteps + 1) * kColumnY] =
      height - top > (kSteps + 1) * kColumnY ? in[(kSteps + 1) * kColumnY * pitch] : 0.0f;
  __syncthreads();
#pragma unroll
  for (int i = 1; i <= kSteps; ++i) {
    float sum = 0.0f;
#pragma unroll
    for (int j = -kRadius; j <= kRadius; ++j) {
      sum = fmaf(convolution_taps[kRadius - j], strip[tx][ty + i * kColumnY + j], sum);
    }
    out[i * kColumnY * pitch] = sum;
  }
}
