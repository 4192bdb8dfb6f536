// Angular correlation of points on a sphere: histograms of the angles between all pairs, of the data with itself, of
// each random set with itself and of the data with each random set, a block each. Every warp counts in its own
// histogram in shared memory; the bin is found by binary search in constant memory.
#include "heddle_cuda.h"

static const int kBins = 20;
static const int kWarps = 8;

__constant__ float tpacf_limits[kBins + 1];  // descending cosines

// Sets lie one after the other; set 0 is the data. Blocks: 0..sets-1 a set with itself, then the data with sets 1...
extern "C" __global__ void __launch_bounds__(256)
    tpacf_histograms(unsigned* __restrict__ histograms, const float* __restrict__ x, const float* __restrict__ y,
                     const float* __restrict__ z, int points, int sets) {
  __shared__ unsigned counts[kWarps][kBins];
  const int warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < kWarps * kBins; i += blockDim.x) counts[i / kBins][i % kBins] = 0;
  __syncthreads();
  const int block = blockIdx.x;
  const bool same = block < sets;
  const int first = same ? block * points : 0;
  const int second = same ? first : (block - sets + 1) * points;
  for (int i = 0; i < points; ++i) {
    const float xi = x[first + i], yi = y[first + i], zi = z[first + i];
    for (int j = (same ? i + 1 : 0) + threadIdx.x; j < points; j += blockDim.x) {
      const float cosine = fmaf(xi, x[second + j], fmaf(yi, y[second + j], zi * z[second + j]));
      int low = 0, high = kBins;
      while (high > low + 1) {
        const int middle = (low + high) / 2;
        if (cosine >= tpacf_limits[middle]) {
          high = middle;
        } else {
          low = middle;
        }
      }
      atomicAdd(&counts[warp][low], 1u);
    }
  }
  __syncthreads();
  if (threadIdx.x < kBins) {
    unsigned sum = 0;
    for (int w = 0; w < kWarps; ++w) sum += counts[w][threadIdx.x];
    histograms[blockIdx.x * kBins + threadIdx.x] = sum;
  }
}
