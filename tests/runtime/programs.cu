// Programs for the tests beside this file: whole CUDA features, as a compiler turns them into PTX.
#include "heddle_cuda.h"
#ifdef __NVCC__
#include <cassert>
#include <cstdio>
#endif

// --- Many values alive at once: what a small register file must spill.
extern "C" __global__ void many_values(const int* in, double* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int a[24];
  double b[12];
  bool p[10];
#pragma unroll
  for (int k = 0; k < 24; ++k) a[k] = in[(i * 7 + k * 13) & 255] + k;
#pragma unroll
  for (int k = 0; k < 12; ++k) b[k] = a[k] * 0.5 + a[k + 12];
#pragma unroll
  for (int k = 0; k < 10; ++k) p[k] = (a[k] ^ a[k + 3]) % 3 == 0;
  for (int round = 0; round < (i & 7) + 2; ++round) {
#pragma unroll
    for (int k = 0; k < 24; ++k) a[k] = a[k] * 3 + a[(k + 5) % 24];
#pragma unroll
    for (int k = 0; k < 12; ++k) {
      if (p[k % 10]) {
        b[k] += b[(k + 1) % 12] * 0.25;
      } else {
        b[k] -= (double)(a[k] & 1023);
      }
    }
    p[round % 10 == 0 ? 1 : 2] ^= a[3] > a[4];
  }
  double sum = 0;
#pragma unroll
  for (int k = 0; k < 24; ++k) sum += (double)(a[k] & 65535) * (k + 1);
#pragma unroll
  for (int k = 0; k < 12; ++k) sum += b[k];
#pragma unroll
  for (int k = 0; k < 10; ++k) sum += p[k] ? k * 1000 : 0;
  out[i] = sum;
}

// --- Virtual functions: tables of addresses in constant data, indirect calls that differ by lane.
struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual int corners() const { return 0; }
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
  __device__ int corners() const override { return 4; }
};
struct Circle : Shape {
  float radius;
  __device__ explicit Circle(float r) : radius(r) {}
  __device__ float area() const override { return 3.0f * radius * radius; }
};
__device__ __noinline__ float measure(const Shape& shape) { return shape.area() + 100.0f * (float)shape.corners(); }
extern "C" __global__ void shapes(float* out) {
  const int i = threadIdx.x;
  Square square((float)i);
  Circle circle((float)i);
  const Shape* mine = i % 3 == 0 ? (const Shape*)&square : (const Shape*)&circle;
  out[i] = measure(*mine);
}

// --- Recursion with local arrays: a quicksort of each thread's own slice.
__device__ __noinline__ void quicksort(int* values, int first, int last) {
  if (first >= last) return;
  const int pivot = values[(first + last) / 2];
  int i = first;
  int j = last;
  while (i <= j) {
    while (values[i] < pivot) ++i;
    while (values[j] > pivot) --j;
    if (i <= j) {
      const int t = values[i];
      values[i++] = values[j];
      values[j--] = t;
    }
  }
  quicksort(values, first, j);
  quicksort(values, i, last);
}
extern "C" __global__ void sort_slices(int* data, int length) {
  int local[32];
  int* mine = data + (blockIdx.x * blockDim.x + threadIdx.x) * length;
  for (int k = 0; k < length; ++k) local[k] = mine[k];
  quicksort(local, 0, length - 1);
  for (int k = 0; k < length; ++k) mine[k] = local[k];
}

// --- Blocks that meet through memory.
__device__ unsigned blocks_done;
extern "C" __global__ void last_block_sum(const int* in, volatile long long* partial, long long* total) {
  __shared__ bool is_last;
  __shared__ long long sums[64];
  sums[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sums[0];
    __threadfence();
    is_last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    long long sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += partial[b];
    *total = sum;
  }
}
// Every block waits for the one behind it; the last one starts the chain.
extern "C" __global__ void wait_for_later_block(volatile int* flags) {
  if (threadIdx.x == 0) {
    if (blockIdx.x + 1 < gridDim.x) {
      while (flags[blockIdx.x + 1] == 0) {
      }
      __threadfence();
    }
    flags[blockIdx.x] = 1 + (blockIdx.x + 1 < gridDim.x ? flags[blockIdx.x + 1] : 0);
  }
}
extern "C" __global__ void grid_barriers(int* counter, int* data, int rounds) {
  for (int round = 1; round <= rounds; ++round) {
    const int left = (blockIdx.x + gridDim.x - 1) % gridDim.x;
    if (threadIdx.x == 0)
      data[(round & 1) * gridDim.x + blockIdx.x] =
          round == 1 ? (int)blockIdx.x : ((volatile int*)data)[(1 - (round & 1)) * gridDim.x + left];
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(counter, 1);
      while (*(volatile int*)counter < round * (int)gridDim.x) {
      }
    }
    __syncthreads();
  }
}
// A list that grows by compare-and-swap.
extern "C" __global__ void push_all(int* head, int* next) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  int seen = *(volatile int*)head;
  for (;;) {
    next[node] = seen;
    const int before = atomicCAS(head, seen, node);
    if (before == seen) break;
    seen = before;
  }
}

// --- The device run time.
extern "C" __global__ void print_everything(long long big, double real, const char* unused) {
  if (threadIdx.x >= 2) return;
  const int t = threadIdx.x;
  printf("%d|%5d|%-5d|%05d|%+d|%i|", t, t + 1, t + 2, t + 3, t + 4, -t);
  printf("%u|%x|%X|%#x|%o|", 4000000000u, 255u, 255u, 255u, 8u);
  printf("%lld|%llu|%llx|%ld|", big, (unsigned long long)big, (unsigned long long)big, (long)big);
  printf("%f|%.2f|%10.3f|%e|%g|%s|%10s|%-4s|%.2s|", real, real, real, real, real, "text", "right", "l", "cut");
  printf("%c%c|%*d|%.1f|%%|%p|%hd|%hhu\n", 'a' + t, 'z', 6, 42, real, (void*)0x1234, 65537, 257);
  (void)unused;
}
extern "C" __global__ void heap(int** out) {
  int* mine = (int*)malloc(16 * sizeof(int));
  for (int k = 0; k < 16; ++k) mine[k] = threadIdx.x * 100 + k;
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 16; ++k) sum += mine[k];
  ((int*)out)[threadIdx.x] = sum;
  free(mine);
  out[blockDim.x] = (int*)malloc(1ull << 40);
}
extern "C" __global__ void assertion(int limit) { assert((int)threadIdx.x < limit); }

// --- Early return before a barrier, as tiled kernels do it.
extern "C" __global__ void clipped(int* out, int n) {
  __shared__ int tile[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    if (i % 5 == 4) return;
    tile[threadIdx.x] = i * 2;
  } else {
    tile[threadIdx.x] = -1;
  }
  __syncthreads();
  out[i] = tile[threadIdx.x ^ 1] + tile[(threadIdx.x + 32) % 64];
}
