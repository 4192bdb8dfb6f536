// One training step of a two-layer perceptron as in Rodinia. Blocks of 16x16 threads take 16 inputs and the 16 hidden
// units. Weights lie row by row, one row of 17 words per input (word 0 and row 0 are the biases), so a warp's 16-word
// pieces start at any alignment.
#include "heddle_cuda.h"

static const int kTile = 16;
static const int kRow = kTile + 1;  // words per row of weights
static const float kRate = 0.3f;
static const float kMomentum = 0.3f;

// Products of inputs and weights are summed down the columns by a tree in shared memory; each block leaves 16 partial
// sums for the host. The tree's remains replace the weights: the host uploads them again before they are adjusted.
extern "C" __global__ void backprop_layerforward(const float* __restrict__ input, float* weights, float* partial_sums) {
  __shared__ float inputs[kTile];
  __shared__ float products[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = kTile * blockIdx.x + ty + 1;
  const int index = row * kRow + tx + 1;
  if (tx == 0) inputs[ty] = input[row];
  __syncthreads();
  products[ty][tx] = weights[index];
  __syncthreads();
  products[ty][tx] = products[ty][tx] * inputs[ty];
  __syncthreads();
  for (int step = 2; step <= kTile; step *= 2) {
    if (ty % step == 0) products[ty][tx] = products[ty][tx] + products[ty + step / 2][tx];
    __syncthreads();
  }
  weights[index] = products[ty][tx];
  __syncthreads();
  if (tx == 0) partial_sums[blockIdx.x * kTile + ty] = products[0][ty];
}

extern "C" __global__ void backprop_adjust_weights(const float* __restrict__ delta, const float* __restrict__ input,
                                                   float* weights, float* last_change) {
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = kTile * blockIdx.x + ty + 1;
  const int index = row * kRow + tx + 1;
  const float change = fmaf(kRate * delta[tx + 1], input[row], kMomentum * last_change[index]);
  weights[index] += change;
  last_change[index] = change;
  __syncthreads();
  if (ty == 0 && blockIdx.x == 0) {  // the biases
    const float bias_change = __fadd_rn(kRate * delta[tx + 1], kMomentum * last_change[tx + 1]);
    weights[tx + 1] += bias_change;
    last_change[tx + 1] = bias_change;
  }
}
