// Recognition of handwritten digits by a convolutional network of four layers (Simard, Steinkraus and Platt, ICDAR
// 2003), decomposed as the benchmark NN of the ISPASS 2009 set: a block per feature map or neuron and image, a thread
// per output. The last two layers have blocks of a single thread. A neuron's weights lie one after the other, bias
// first.
#include "heddle_cuda.h"

static const int kInput = 29;  // pixels along a side
static const int kFirst = 13;  // neurons along a side of a map of the first layer
static const int kSecond = 5;  // and of the second
static const int kFirstMaps = 6;
static const int kTaps = 5;  // along a side of a window; windows are two apart
static const int kHidden = 100;

__device__ __forceinline__ float squash(float sum) { return 1.7159f * tanhf(0.66666667f * sum); }

extern "C" __global__ void neural_first(const float* __restrict__ images, const float* __restrict__ weights,
                                        float* __restrict__ out) {
  const int map = blockIdx.x, x = threadIdx.x, y = threadIdx.y;
  const float* window = images + blockIdx.y * kInput * kInput + 2 * y * kInput + 2 * x;
  const float* weight = weights + map * (1 + kTaps * kTaps);
  float sum = weight[0];
  for (int i = 0; i < kTaps; ++i) {
    for (int j = 0; j < kTaps; ++j) sum = fmaf(window[i * kInput + j], weight[1 + i * kTaps + j], sum);
  }
  out[((blockIdx.y * kFirstMaps + map) * kFirst + y) * kFirst + x] = squash(sum);
}

extern "C" __global__ void neural_second(const float* __restrict__ in, const float* __restrict__ weights,
                                         float* __restrict__ out) {
  const int map = blockIdx.x, x = threadIdx.x, y = threadIdx.y;
  const float* window = in + blockIdx.y * kFirstMaps * kFirst * kFirst + 2 * y * kFirst + 2 * x;
  const float* weight = weights + map * (1 + kFirstMaps * kTaps * kTaps);
  float sum = *weight++;
  for (int i = 0; i < kTaps; ++i) {
    for (int j = 0; j < kTaps; ++j) {
      for (int m = 0; m < kFirstMaps; ++m) sum = fmaf(window[(m * kFirst + i) * kFirst + j], *weight++, sum);
    }
  }
  out[((blockIdx.y * gridDim.x + map) * kSecond + y) * kSecond + x] = squash(sum);
}

__device__ __forceinline__ void connect(const float* __restrict__ in, const float* __restrict__ weights,
                                        float* __restrict__ out, int inputs) {
  const float* neurons = in + blockIdx.y * inputs;
  const float* weight = weights + blockIdx.x * (1 + inputs);
  float sum = weight[0];
  for (int i = 0; i < inputs; ++i) sum = fmaf(neurons[i], weight[1 + i], sum);
  out[blockIdx.y * gridDim.x + blockIdx.x] = squash(sum);
}

extern "C" __global__ void neural_third(const float* __restrict__ in, const float* __restrict__ weights,
                                        float* __restrict__ out, int inputs) {
  connect(in, weights, out, inputs);
}

extern "C" __global__ void neural_fourth(const float* __restrict__ in, const float* __restrict__ weights,
                                         float* __restrict__ out) {
  connect(in, weights, out, kHidden);
}
