// A particle filter that follows an object in a noisy video, as in Rodinia's float version: four kernels per frame.
// `likelihood` moves the particles at random and looks at the pixels of a disc around each (the video lies pixel by
// pixel with the frames of a pixel together, so no two loads are neighbours). `normalize` has one thread build the
// cumulative weights while all others wait. `find_index` searches them from the beginning for every particle: long
// loops in which all threads read the same words.
#include "heddle_cuda.h"

#include "model.h"

static const int kThreads = 512;

__device__ static float uniform(int* seeds, int i) {
  const int next = next_seed(seeds[i]);
  seeds[i] = next;
  return fabsf((float)next / kSeedRange);
}

__device__ static float normal(int* seeds, int i) {
  const float u = uniform(seeds, i);
  const float v = uniform(seeds, i);
  return sqrtf(-2.0f * logf(u)) * cosf(2.0f * kPi * v);
}

extern "C" __global__ void __launch_bounds__(kThreads)
    particle_filter_likelihood(float* x, float* y, const float* __restrict__ chosen_x,
                               const float* __restrict__ chosen_y, const int* __restrict__ disc, int disc_points,
                               const unsigned char* __restrict__ video, int columns, int frames, int video_bytes,
                               int frame, float* weights, int* seeds, int particles, float* partial_sums) {
  __shared__ float sums[kThreads];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float weight = 0.0f;
  if (i < particles) {
    x[i] = chosen_x[i] + 1.0f + 5.0f * normal(seeds, i);
    y[i] = chosen_y[i] - 2.0f + 2.0f * normal(seeds, i);
    const int centre_x = round_to_int(x[i]), centre_y = round_to_int(y[i]);
    int difference = 0;
    for (int p = 0; p < disc_points; ++p) {
      int at = abs(((centre_x + disc[2 * p + 1]) * columns + centre_y + disc[2 * p]) * frames + frame);
      if (at >= video_bytes) at = 0;
      const int value = video[at];
      difference += (value - kDark) * (value - kDark) - (value - kBright) * (value - kBright);
    }
    // Not below -60, so that the weights of particles that all lost the object have a sum to be divided by.
    const float likelihood = fmaxf((float)difference / (50.0f * (float)disc_points) - 300.0f, -60.0f);
    weight = 1.0f / (float)particles * expf(likelihood);
    weights[i] = weight;
  }
  sums[threadIdx.x] = weight;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if ((int)threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) partial_sums[blockIdx.x] = sums[0];
}

extern "C" __global__ void particle_filter_sum(float* partial_sums, int blocks) {
  if (blockIdx.x * blockDim.x + threadIdx.x != 0) return;
  float sum = 0.0f;
  for (int b = 0; b < blocks; ++b) sum += partial_sums[b];
  partial_sums[0] = sum;
}

extern "C" __global__ void __launch_bounds__(kThreads)
    particle_filter_normalize(float* weights, int particles, const float* __restrict__ partial_sums, float* cumulative,
                              float* targets, int* seeds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float sum = partial_sums[0];
  // Weights are divided where they are read: thread 0 does not wait for other blocks.
  if (i < particles) targets[i] = 0.0f;
  if (i == 0) {
    float total = 0.0f;
    for (int p = 0; p < particles; ++p) {
      total += weights[p] / sum;
      cumulative[p] = total;
    }
    targets[0] = 1.0f / (float)particles * uniform(seeds, 0);
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    particle_filter_find_index(const float* __restrict__ x, const float* __restrict__ y,
                               const float* __restrict__ cumulative, const float* __restrict__ targets, float* chosen_x,
                               float* chosen_y, int particles) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= particles) return;
  const float target = targets[0] + (float)i / (float)particles;
  int index = particles - 1;
  for (int p = 0; p < particles; ++p) {
    if (cumulative[p] >= target) {
      index = p;
      break;
    }
  }
  chosen_x[i] = x[index];
  chosen_y[i] = y[index];
}
