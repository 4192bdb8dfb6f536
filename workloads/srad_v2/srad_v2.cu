// Speckle-reducing anisotropic diffusion as in Rodinia's second version: two kernels per step, 16x16 tiles in shared
// memory. The first computes four differences and a diffusion coefficient per pixel, the second moves the pixel. Pixels
// outside the image equal the nearest one inside. Six arrays are streamed per step.
#include "heddle_cuda.h"

static const int kTile = 16;

extern "C" __global__ void __launch_bounds__(kTile* kTile)
    srad_v2_coefficients(float* east_out, float* west_out, float* north_out, float* south_out,
                         const float* __restrict__ image, float* coefficients, int columns, int rows,
                         float speckle_squared) {
  __shared__ float tile[kTile][kTile];
  __shared__ float north[kTile], south[kTile], west[kTile], east[kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * kTile + tx, y = blockIdx.y * kTile + ty, index = y * columns + x;
  tile[ty][tx] = image[index];
  if (ty == 0) north[tx] = image[max(y - 1, 0) * columns + x];
  if (ty == kTile - 1) south[tx] = image[min(y + 1, rows - 1) * columns + x];
  if (tx == 0) west[ty] = image[y * columns + max(x - 1, 0)];
  if (tx == kTile - 1) east[ty] = image[y * columns + min(x + 1, columns - 1)];
  __syncthreads();
  const float centre = tile[ty][tx];
  const float n = (ty == 0 ? north[tx] : tile[ty - 1][tx]) - centre;
  const float s = (ty == kTile - 1 ? south[tx] : tile[ty + 1][tx]) - centre;
  const float w = (tx == 0 ? west[ty] : tile[ty][tx - 1]) - centre;
  const float e = (tx == kTile - 1 ? east[ty] : tile[ty][tx + 1]) - centre;

  const float gradient = fmaf(e, e, fmaf(w, w, fmaf(s, s, n * n))) / (centre * centre);
  const float laplacian = (n + s + w + e) / centre;
  const float numerator = fmaf(0.5f, gradient, -((1.0f / 16.0f) * (laplacian * laplacian)));
  const float root = fmaf(0.25f, laplacian, 1.0f);
  const float q = numerator / (root * root);
  const float denominator = (q - speckle_squared) / (speckle_squared * (1.0f + speckle_squared));
  const float coefficient = 1.0f / (1.0f + denominator);
  coefficients[index] = coefficient < 0.0f ? 0.0f : coefficient > 1.0f ? 1.0f : coefficient;
  east_out[index] = e;
  west_out[index] = w;
  north_out[index] = n;
  south_out[index] = s;
}

extern "C" __global__ void __launch_bounds__(kTile* kTile)
    srad_v2_update(const float* __restrict__ east, const float* __restrict__ west, const float* __restrict__ north,
                   const float* __restrict__ south, float* image, const float* __restrict__ coefficients, int columns,
                   int rows, float quarter_lambda) {
  __shared__ float tile[kTile][kTile];
  __shared__ float below[kTile], right[kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * kTile + tx, y = blockIdx.y * kTile + ty, index = y * columns + x;
  tile[ty][tx] = coefficients[index];
  if (ty == kTile - 1) below[tx] = coefficients[min(y + 1, rows - 1) * columns + x];
  if (tx == kTile - 1) right[ty] = coefficients[y * columns + min(x + 1, columns - 1)];
  __syncthreads();
  const float here = tile[ty][tx];
  const float s = ty == kTile - 1 ? below[tx] : tile[ty + 1][tx];
  const float e = tx == kTile - 1 ? right[ty] : tile[ty][tx + 1];
  const float divergence = fmaf(e, east[index], fmaf(here, west[index], fmaf(s, south[index], here * north[index])));
  image[index] = fmaf(quarter_lambda, divergence, image[index]);
}
