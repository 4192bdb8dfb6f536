// Nearest neighbours as in Rodinia: the distance of every record to the target. Records are pairs of floats, so a warp
// reads 256 bytes in a row and writes 128; nothing is used twice.
#include "heddle_cuda.h"

extern "C" __global__ void nn_distances(const float2* __restrict__ locations, float* __restrict__ distances,
                                        unsigned count, float latitude, float longitude) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float2 location = locations[i];
  const float dy = latitude - location.x, dx = longitude - location.y;
  distances[i] = sqrtf(fmaf(dy, dy, dx * dx));
}
