// Speckle-reducing anisotropic diffusion as in Rodinia's first version: one thread per pixel in blocks of 512, columns
// one after the other in memory, no tiles. Where a pixel's neighbours are is looked up in four arrays. Statistics of
// the image are made on the GPU, by a tree in shared memory and as many launches as the tree has storeys.
#include "heddle_cuda.h"

static const int kBlock = 512;

extern "C" __global__ void srad_v1_extract(int count, float* image) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) image[i] = expf(image[i] / 255.0f);
}

extern "C" __global__ void srad_v1_prepare(int count, const float* __restrict__ image, float* sums, float* squares) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  sums[i] = image[i];
  squares[i] = image[i] * image[i];
}

// Adds up 512 values that lie `stride` apart into the first of them.
extern "C" __global__ void __launch_bounds__(kBlock)
    srad_v1_reduce(int count, int stride, float* sums, float* squares) {
  __shared__ float sum[kBlock], square[kBlock];
  const int thread = threadIdx.x;
  const int i = (blockIdx.x * kBlock + thread) * stride;
  sum[thread] = i < count ? sums[i] : 0.0f;
  square[thread] = i < count ? squares[i] : 0.0f;
  __syncthreads();
  for (int step = 2; step <= kBlock; step *= 2) {
    if (thread % step == 0) {
      sum[thread] += sum[thread + step / 2];
      square[thread] += square[thread + step / 2];
    }
    __syncthreads();
  }
  if (thread == 0) {
    sums[i] = sum[0];
    squares[i] = square[0];
  }
}

extern "C" __global__ void srad_v1_coefficients(int rows, int count, const int* __restrict__ north_row,
                                                const int* __restrict__ south_row, const int* __restrict__ west_column,
                                                const int* __restrict__ east_column, float* north, float* south,
                                                float* west, float* east, float speckle, float* coefficients,
                                                const float* __restrict__ image) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int row = i % rows, column = i / rows;
  const float centre = image[i];
  const float n = image[north_row[row] + rows * column] - centre;
  const float s = image[south_row[row] + rows * column] - centre;
  const float w = image[row + rows * west_column[column]] - centre;
  const float e = image[row + rows * east_column[column]] - centre;
  const float gradient = fmaf(e, e, fmaf(w, w, fmaf(s, s, n * n))) / (centre * centre);
  const float laplacian = (n + s + w + e) / centre;
  const float numerator = fmaf(0.5f, gradient, -((1.0f / 16.0f) * (laplacian * laplacian)));
  const float root = fmaf(0.25f, laplacian, 1.0f);
  const float q = numerator / (root * root);
  float coefficient = 1.0f / (1.0f + (q - speckle) / (speckle * (1.0f + speckle)));
  if (coefficient < 0.0f) {
    coefficient = 0.0f;
  } else if (coefficient > 1.0f) {
    coefficient = 1.0f;
  }
  north[i] = n;
  south[i] = s;
  west[i] = w;
  east[i] = e;
  coefficients[i] = coefficient;
}

extern "C" __global__ void srad_v1_update(float quarter_lambda, int rows, int count, const int* __restrict__ south_row,
                                          const int* __restrict__ east_column, const float* __restrict__ north,
                                          const float* __restrict__ south, const float* __restrict__ west,
                                          const float* __restrict__ east, const float* __restrict__ coefficients,
                                          float* image) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int row = i % rows, column = i / rows;
  const float here = coefficients[i];
  const float s = coefficients[south_row[row] + rows * column];
  const float e = coefficients[row + rows * east_column[column]];
  const float divergence = fmaf(e, east[i], fmaf(here, west[i], fmaf(s, south[i], here * north[i])));
  image[i] = fmaf(quarter_lambda, divergence, image[i]);
}

extern "C" __global__ void srad_v1_compress(int count, float* image) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) image[i] = logf(image[i]) * 255.0f;
}
