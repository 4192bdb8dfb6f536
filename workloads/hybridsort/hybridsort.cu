// A sort of floats in two phases, as in Rodinia: into buckets of about equal size, then each bucket by merging.
// Searches among pivots, scattered stores, and merges in which every thread takes its own way through two lists.
#include "heddle_cuda.h"

static const int kBins = 1024;
static const int kMostBuckets = 1024;
static const int kWarp = 32;

extern "C" __global__ void hybridsort_histogram(const float* __restrict__ values, unsigned count, float least,
                                                float scale, unsigned* histogram) {
  __shared__ unsigned bins[kBins];
  for (int b = threadIdx.x; b < kBins; b += blockDim.x) bins[b] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    atomicAdd(&bins[min((int)((values[i] - least) * scale), kBins - 1)], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < kBins; b += blockDim.x) {
    if (bins[b] != 0) atomicAdd(&histogram[b], bins[b]);
  }
}

// Blocks of one warp, each with its own part of the values: a value's bucket by bisection, and its rank among those of
// the same bucket and block.
extern "C" __global__ void __launch_bounds__(kWarp)
    hybridsort_count(const float* __restrict__ values, unsigned count, unsigned per_block,
                     const float* __restrict__ pivots, unsigned buckets, unsigned* bucket_and_rank,
                     unsigned* block_counts) {
  __shared__ unsigned counts[kMostBuckets];
  for (unsigned b = threadIdx.x; b < buckets; b += kWarp) counts[b] = 0;
  __syncthreads();
  const unsigned begin = blockIdx.x * per_block, end = min(begin + per_block, count);
  for (unsigned i = begin + threadIdx.x; i < end; i += kWarp) {
    const float value = values[i];
    unsigned low = 0, high = buckets - 1;  // the first bucket whose pivot, its upper end, is not below the value
    while (low < high) {
      const unsigned middle = (low + high) / 2;
      if (pivots[middle] < value) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    bucket_and_rank[i] = low | atomicAdd(&counts[low], 1u) << 10;
  }
  __syncthreads();
  for (unsigned b = threadIdx.x; b < buckets; b += kWarp) block_counts[blockIdx.x * buckets + b] = counts[b];
}

// Counts become places: one thread per bucket goes through the blocks.
extern "C" __global__ void hybridsort_offsets(unsigned* block_counts, unsigned blocks, unsigned buckets,
                                              unsigned* bucket_sizes) {
  const unsigned b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= buckets) return;
  unsigned sum = 0;
  for (unsigned block = 0; block < blocks; ++block) {
    const unsigned here = block_counts[block * buckets + b];
    block_counts[block * buckets + b] = sum;
    sum += here;
  }
  bucket_sizes[b] = sum;
}

extern "C" __global__ void __launch_bounds__(kWarp)
    hybridsort_scatter(const float* __restrict__ values, unsigned count, unsigned per_block,
                       const unsigned* __restrict__ bucket_and_rank, const unsigned* __restrict__ block_counts,
                       unsigned buckets, const unsigned* __restrict__ bucket_starts, float* out) {
  const unsigned begin = blockIdx.x * per_block, end = min(begin + per_block, count);
  for (unsigned i = begin + threadIdx.x; i < end; i += kWarp) {
    const unsigned bucket = bucket_and_rank[i] & 1023u, rank = bucket_and_rank[i] >> 10;
    out[bucket_starts[bucket] + block_counts[blockIdx.x * buckets + bucket] + rank] = values[i];
  }
}

// Every thread sorts the four values of one vector.
extern "C" __global__ void hybridsort_merge_first(float4* vectors, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float4 v = vectors[i];
  const float a = fminf(v.x, v.y), b = fmaxf(v.x, v.y), c = fminf(v.z, v.w), d = fmaxf(v.z, v.w);
  const float e = fmaxf(a, c), f = fminf(b, d);
  vectors[i] = make_float4(fminf(a, c), fminf(e, f), fmaxf(e, f), fmaxf(b, d));
}

// Every thread merges two neighbouring sorted lists of `length` vectors of its bucket; a list may be cut short or
// missing at the bucket's end. Threads of a bucket beyond its lists leave.
extern "C" __global__ void hybridsort_merge_pass(const float* __restrict__ from, float* to,
                                                 const unsigned* __restrict__ bucket_starts, unsigned buckets,
                                                 unsigned threads_per_bucket, unsigned length) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned bucket = thread / threads_per_bucket;
  if (bucket >= buckets) return;
  const unsigned bucket_end = bucket_starts[bucket + 1];
  const unsigned begin = bucket_starts[bucket] + thread % threads_per_bucket * 2 * length;
  if (begin >= bucket_end) return;
  const unsigned middle = min(begin + length, bucket_end), end = min(begin + 2 * length, bucket_end);
  unsigned a = begin, b = middle, out = begin;
  while (a < middle && b < end) {
    const float first = from[a], second = from[b];
    if (second < first) {
      to[out++] = second;
      ++b;
    } else {
      to[out++] = first;
      ++a;
    }
  }
  while (a < middle) to[out++] = from[a++];
  while (b < end) to[out++] = from[b++];
}

// Leaves out the filling between buckets.
extern "C" __global__ void hybridsort_merge_pack(const float* __restrict__ from, float* to,
                                                 const unsigned* __restrict__ bucket_starts,
                                                 const unsigned* __restrict__ packed_starts, unsigned buckets) {
  const unsigned bucket = blockIdx.x;
  if (bucket >= buckets) return;
  const unsigned size = packed_starts[bucket + 1] - packed_starts[bucket];
  for (unsigned i = threadIdx.x; i < size; i += blockDim.x) {
    to[packed_starts[bucket] + i] = from[bucket_starts[bucket] + i];
  }
}
