// Quality-threshold clustering (Heyer and others, 1999), as SHOC has it: a block grows a candidate cluster around each
// point, always adding the point that keeps the diameter smallest, until that exceeds the threshold. The largest
// candidate becomes a cluster, its points are taken out, and all starts again.
#include "heddle_cuda.h"

static const int kThreads = 64;
static const float kTaken = 3.0e38f;  // larger than any distance

// The smallest value of a block and the lowest slot that has it; valid in all threads.
__device__ void smallest_of_block(float& value, int& slot, float* values, int* slots) {
  values[threadIdx.x] = value;
  slots[threadIdx.x] = slot;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if ((int)threadIdx.x < half) {
      const float other = values[threadIdx.x + half];
      if (other < values[threadIdx.x] ||
          (other == values[threadIdx.x] && slots[threadIdx.x + half] < slots[threadIdx.x])) {
        values[threadIdx.x] = other;
        slots[threadIdx.x] = slots[threadIdx.x + half];
      }
    }
  }
  __syncthreads();
  value = values[0];
  slot = slots[0];
  __syncthreads();
}

// One block per seed point. `near` lists the points within the threshold of each point (-1 ends a list), `widest` is
// room for the largest distance of each listed point to the cluster. With `member` given the cluster is recorded there.
extern "C" __global__ void __launch_bounds__(64)
    qtc_grow(const float* __restrict__ distance, const int* __restrict__ near, float* widest,
             const int* __restrict__ cluster_of, const int* __restrict__ seeds, int* sizes, int* member, int points,
             int degree, float threshold) {
  __shared__ float values[kThreads];
  __shared__ int slots[kThreads];
  const int seed = seeds[blockIdx.x];
  const int* list = near + seed * degree;
  float* mine = widest + seed * degree;
  for (int s = threadIdx.x; s < degree; s += kThreads) {
    const int p = list[s];
    mine[s] = p >= 0 && cluster_of[p] < 0 ? distance[seed * points + p] : kTaken;
  }
  if (member && threadIdx.x == 0) member[seed] = 1;
  int size = 1;
  for (;;) {
    float best = kTaken;
    int slot = 0x7fffffff;
    for (int s = threadIdx.x; s < degree; s += kThreads) {
      if (mine[s] < best) {
        best = mine[s];
        slot = s;
      }
    }
    smallest_of_block(best, slot, values, slots);
    if (best > threshold) break;
    const int chosen = list[slot];
    ++size;
    if (member && threadIdx.x == 0) member[chosen] = 1;
    for (int s = threadIdx.x; s < degree; s += kThreads) {
      if (s == slot) {
        mine[s] = kTaken;
      } else if (mine[s] < kTaken) {
        mine[s] = fmaxf(mine[s], distance[chosen * points + list[s]]);
      }
    }
  }
  if (threadIdx.x == 0) sizes[blockIdx.x] = size;
}

// One block: the largest candidate, the first of several.
extern "C" __global__ void __launch_bounds__(64) qtc_largest(const int* __restrict__ sizes, int count, int* best) {
  __shared__ float values[kThreads];
  __shared__ int slots[kThreads];
  float most = 0.0f;
  int at = 0x7fffffff;
  for (int i = threadIdx.x; i < count; i += kThreads) {
    if (-(float)sizes[i] < most) {
      most = -(float)sizes[i];
      at = i;
    }
  }
  smallest_of_block(most, at, values, slots);
  if (threadIdx.x == 0) {
    best[0] = at;
    best[1] = (int)-most;
  }
}

extern "C" __global__ void __launch_bounds__(64) qtc_assign(int* member, int* cluster_of, int cluster, int points) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= points || !member[p]) return;
  cluster_of[p] = cluster;
  member[p] = 0;
}

// Takes the points that belong to a cluster out of the lists.
extern "C" __global__ void __launch_bounds__(64)
    qtc_trim(int* near, const int* __restrict__ cluster_of, int points, int degree) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= points) return;
  int kept = 0;
  for (int s = 0; s < degree; ++s) {
    const int q = near[p * degree + s];
    if (q < 0) break;
    if (cluster_of[q] < 0) near[p * degree + kept++] = q;
  }
  for (; kept < degree && near[p * degree + kept] >= 0; ++kept) near[p * degree + kept] = -1;
}
