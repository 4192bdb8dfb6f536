// The kernel of streamcluster as in Rodinia: what would each point gain if a candidate became a centre? Coordinates lie
// dimension by dimension, so a warp reads neighbouring words, and all its lanes the same word of the candidate; the
// points' own data is an array of structures; each thread has its own row of savings, one word per centre, so that no
// two threads add to the same word.
#include "heddle_cuda.h"

#include "point.h"

extern "C" __global__ void streamcluster_gain(int points, int dimensions, int candidate, const ClusterPoint* table,
                                              int centres, const float* __restrict__ coordinates, float* savings,
                                              const int* __restrict__ centre_number, unsigned char* would_switch) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points) return;
  float distance = 0.0f;
  const float* mine = coordinates + i;
  const float* other = coordinates + candidate;
#pragma unroll 4  // as nvcc does to loops whose length it does not know
  for (int d = 0; d < dimensions; ++d, mine += points, other += points) {
    const float difference = *mine - *other;
    distance = fmaf(difference, difference, distance);
  }
  const float cost = distance * table[i].weight;
  const float present = table[i].cost;
  float* row = savings + (size_t)i * (centres + 1);
  if (cost < present) {
    would_switch[i] = 1;
    row[centres] += cost - present;
  } else {
    row[centre_number[table[i].centre]] += present - cost;
  }
}
