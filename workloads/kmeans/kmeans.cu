// k-means as in Rodinia: the points are first transposed (all values of one feature together, so that neighbouring
// threads read neighbouring words), then every thread finds the centre nearest to its point. Centres lie in constant
// memory: all lanes read the same one.
#include "heddle_cuda.h"

static const int kMaxCentreValues = 1024;

__constant__ float kmeans_centres[kMaxCentreValues];  // cluster-major: [cluster][feature]

extern "C" __global__ void kmeans_invert_mapping(const float* __restrict__ point_major,
                                                 float* __restrict__ feature_major, int points, int features) {
  const int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= points) return;
#pragma unroll 4  // as nvcc does to loops whose length it does not know
  for (int f = 0; f < features; ++f) feature_major[f * points + point] = point_major[point * features + f];
}

// The same without the change of layout: neighbouring threads read words a whole point apart.
extern "C" __global__ void kmeans_assign_points(const float* __restrict__ point_major, int points, int features,
                                                int clusters, int* __restrict__ membership) {
  const int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= points) return;
  int nearest = -1;
  float smallest = 3.402823466e+38f;
  for (int c = 0; c < clusters; ++c) {
    float distance = 0.0f;
#pragma unroll 4  // as nvcc does to loops whose length it does not know
    for (int f = 0; f < features; ++f) {
      const float difference = point_major[point * features + f] - kmeans_centres[c * features + f];
      distance = fmaf(difference, difference, distance);
    }
    if (distance < smallest) {
      smallest = distance;
      nearest = c;
    }
  }
  membership[point] = nearest;
}

extern "C" __global__ void kmeans_assign(const float* __restrict__ feature_major, int points, int features,
                                         int clusters, int* __restrict__ membership) {
  const int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= points) return;
  int nearest = -1;
  float smallest = 3.402823466e+38f;
  for (int c = 0; c < clusters; ++c) {
    float distance = 0.0f;
#pragma unroll 4  // as nvcc does to loops whose length it does not know
    for (int f = 0; f < features; ++f) {
      const float difference = feature_major[f * points + point] - kmeans_centres[c * features + f];
      distance = fmaf(difference, difference, distance);
    }
    if (distance < smallest) {
      smallest = distance;
      nearest = c;
    }
  }
  membership[point] = nearest;
}
