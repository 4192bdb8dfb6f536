// Detection and tracking of white blood cells as in Rodinia: three kernels.
// `gicov` looks from every pixel at seven circles of 150 points each: does the gradient point outwards all round? The
// offsets of the points and their sines and cosines lie in constant memory, the samples of a circle in local memory.
// `dilate` takes the maximum under a disc of 25 pixels. `imgvf` solves for the motion gradient vector flow around a
// cell: one block per cell, which keeps its 41x81 field in shared memory until it settles.
#include "heddle_cuda.h"

#include "shape.h"

__constant__ float leukocyte_sine[kCirclePoints];
__constant__ float leukocyte_cosine[kCirclePoints];
__constant__ int leukocyte_offset_x[kCircles * kCirclePoints];
__constant__ int leukocyte_offset_y[kCircles * kCirclePoints];
__constant__ unsigned char leukocyte_disc[kDiscSide * kDiscSide];

// Pixels nearer to the edge than kMargin have no value: the result is smaller than the image.
extern "C" __global__ void leukocyte_gicov(int columns, int inner_columns, const float* __restrict__ gradient_x,
                                           const float* __restrict__ gradient_y, float* gicov) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= inner_columns) return;
  const int x = i + kMargin, y = blockIdx.y + kMargin;
  float best = 0.0f;
  for (int circle = 0; circle < kCircles; ++circle) {
    float samples[kCirclePoints];
    float sum = 0.0f;
    for (int point = 0; point < kCirclePoints; ++point) {
      const int at = (y + leukocyte_offset_y[circle * kCirclePoints + point]) * columns + x +
                     leukocyte_offset_x[circle * kCirclePoints + point];
      samples[point] =
          fmaf(__ldg(&gradient_x[at]), leukocyte_cosine[point], __ldg(&gradient_y[at]) * leukocyte_sine[point]);
      sum += samples[point];
    }
    const float mean = sum / (float)kCirclePoints;
    float variance = 0.0f;
    for (int point = 0; point < kCirclePoints; ++point) {
      const float difference = samples[point] - mean;
      variance = fmaf(difference, difference, variance);
    }
    variance = variance / (float)(kCirclePoints - 1);
    if (variance > 0.0f) best = fmaxf(best, mean * mean / variance);
  }
  gicov[(y - kMargin) * inner_columns + i] = best;
}

extern "C" __global__ void leukocyte_dilate(int columns, int rows, const float* __restrict__ image, float* dilated) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= columns * rows) return;
  const int x = i % columns, y = i / columns;
  float largest = 0.0f;
  for (int dy = 0; dy < kDiscSide; ++dy) {
    const int from_y = y - kDiscRadius + dy;
    if (from_y < 0 || from_y >= rows) continue;
    for (int dx = 0; dx < kDiscSide; ++dx) {
      const int from_x = x - kDiscRadius + dx;
      if (from_x < 0 || from_x >= columns || !leukocyte_disc[dy * kDiscSide + dx]) continue;
      largest = fmaxf(largest, __ldg(&image[from_y * columns + from_x]));
    }
  }
  dilated[i] = largest;
}

// A smooth step from 0 to 1. The arctangent is a rational approximation, good to 0.005.
__device__ static float step_at(float x) {
  const float z = x * kStepSharpness;
  const float magnitude = fabsf(z);
  const float small = z / fmaf(0.28f * z, z, 1.0f);
  const float large = copysignf(kHalfPi, z) - z / fmaf(z, z, 0.28f);
  return fmaf(magnitude <= 1.0f ? small : large, kInversePi, 0.5f);
}

extern "C" __global__ void __launch_bounds__(kFlowThreads)
    leukocyte_imgvf(const float* __restrict__ cells, float* fields, int most_rounds, float cutoff, int* rounds_made) {
  __shared__ float field[kFieldRows * kFieldColumns];
  __shared__ float changes[kFlowThreads];
  __shared__ int settled;
  const float* cell = cells + (size_t)blockIdx.x * kFieldRows * kFieldColumns;
  const int pixels = kFieldRows * kFieldColumns;
  for (int i = threadIdx.x; i < pixels; i += kFlowThreads) field[i] = cell[i];
  if (threadIdx.x == 0) settled = 0;
  __syncthreads();
  int round = 0;
  while (round < most_rounds && !settled) {
    float next[kPixelsPerThread];
    float change = 0.0f;
#pragma unroll 1
    for (int k = 0; k < kPixelsPerThread; ++k) {
      const int i = k * kFlowThreads + threadIdx.x;
      if (i >= pixels) break;
      const int row = i / kFieldColumns, column = i % kFieldColumns;
      const int up = row == 0 ? 0 : row - 1, down = row == kFieldRows - 1 ? row : row + 1;
      const int left = column == 0 ? 0 : column - 1, right = column == kFieldColumns - 1 ? column : column + 1;
      const float old = field[i];
      const float around[8] = {field[up * kFieldColumns + left],     field[up * kFieldColumns + column],
                               field[up * kFieldColumns + right],    field[row * kFieldColumns + left],
                               field[row * kFieldColumns + right],   field[down * kFieldColumns + left],
                               field[down * kFieldColumns + column], field[down * kFieldColumns + right]};
      float flow = 0.0f;
      for (int n = 0; n < 8; ++n) {
        const float difference = around[n] - old;
        flow = fmaf(step_at(difference), difference, flow);
      }
      const float moved = fmaf(kFlowRate, flow, old);
      const float image = cell[i];
      next[k] = fmaf(-kFidelity * image, moved - image, moved);
      change += fabsf(next[k] - old);
    }
    changes[threadIdx.x] = change;
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < kPixelsPerThread; ++k) {
      const int i = k * kFlowThreads + threadIdx.x;
      if (i < pixels) field[i] = next[k];
    }
    if (threadIdx.x + 256 < kFlowThreads) changes[threadIdx.x] += changes[threadIdx.x + 256];
    __syncthreads();
    for (unsigned half = 128; half > 0; half /= 2) {
      if (threadIdx.x < half) changes[threadIdx.x] += changes[threadIdx.x + half];
      __syncthreads();
    }
    if (threadIdx.x == 0) settled = changes[0] / (float)pixels < cutoff;
    __syncthreads();
    ++round;
  }
  for (int i = threadIdx.x; i < pixels; i += kFlowThreads) {
    fields[(size_t)blockIdx.x * pixels + i] = field[i];
  }
  if (threadIdx.x == 0) rounds_made[blockIdx.x] = round;
}
