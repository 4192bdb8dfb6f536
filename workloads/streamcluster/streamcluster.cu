// The kernel of streamcluster as in Rodinia: what would each point gain if a candidate became a centre? Coordinates lie
// dimension by dimension, so a warp reads neighbouring words; every thread reads the candidate's coordinates, which the
// block copies into shared memory; the points' own data is an array of structures; each thread has its own row of
// savings, one word per centre, so that no two threads add to the same word.
#include "heddle_cuda.h"

#include "point.h"

extern "C" __global__ void streamcluster_gain(int points, int dimensions, int candidate, const ClusterPoint* table,
                                              int centres, const float* __restrict__ coordinates, float* savings,
                                              const int* __restrict__ centre_number, unsigned char* would_switch) {
  extern __shared__ float candidate_coordinates[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) {
    for (int d = 0; d < dimensions; ++d) candidate_coordinates[d] = coordinates[(size_t)d * points + candidate];
  }
  __syncthreads();
  if (i >= points) return;
  float distance = 0.0f;
  for (int d = 0; d < dimensions; ++d) {
    const float difference = coordinates[(size_t)d * points + i] - candidate_coordinates[d];
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
