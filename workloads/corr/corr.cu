// Correlation of the columns of a data matrix, as PolyBench has it: mean and deviation with a column per thread,
// scaling with an element per thread, then a triangle of scalar products, a row of the result per thread. The sum is
// kept in memory and stored after every step, as the benchmark's source has it: no __restrict__ here.
#include "heddle_cuda.h"

extern "C" __global__ void __launch_bounds__(256) corr_mean(float* mean, const float* data, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n) return;
  mean[j] = 0.0f;
#pragma unroll 4  // as nvcc does to loops whose length it does not know
  for (int i = 0; i < n; ++i) mean[j] += data[i * n + j];
  mean[j] /= (float)n;
}

extern "C" __global__ void __launch_bounds__(256)
    corr_deviation(const float* mean, float* deviation, const float* data, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n) return;
  deviation[j] = 0.0f;
#pragma unroll 4  // as nvcc does to loops whose length it does not know
  for (int i = 0; i < n; ++i) {
    const float difference = data[i * n + j] - mean[j];
    deviation[j] = fmaf(difference, difference, deviation[j]);
  }
  const float root = sqrtf(deviation[j] / (float)n);
  deviation[j] = root <= 0.005f ? 1.0f : root;
}

extern "C" __global__ void __launch_bounds__(256)
    corr_scale(const float* mean, const float* deviation, float* data, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  data[i * n + j] = (data[i * n + j] - mean[j]) / (sqrtf((float)n) * deviation[j]);
}

extern "C" __global__ void __launch_bounds__(256) corr_products(float* symmetric, const float* data, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  symmetric[row * n + row] = 1.0f;
  for (int column = row + 1; column < n; ++column) {
    float* sum = symmetric + row * n + column;
    *sum = 0.0f;
    const float* left = data + row;
    const float* right = data + column;
#pragma unroll 4  // as nvcc does to loops whose length it does not know
    for (int i = 0; i < n; ++i, left += n, right += n) *sum = fmaf(*left, *right, *sum);
    symmetric[column * n + row] = *sum;
  }
}
