// Self-timed probes: fences, grid barriers, contention on one word, returns from calls, the parts of the L2,
// the L1's size beside shared memory, managed memory. Prints "name key value ..."; long lists go to the file named
// first.
// clang-format off
#include <cooperative_groups.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
namespace cg = cooperative_groups;
typedef unsigned u32;
typedef unsigned long long u64;
#define CK(x)                                                                                           \
  do {                                                                                                  \
    cudaError_t e_ = (x);                                                                               \
    if (e_ != cudaSuccess) { printf("line %d: %s\n", __LINE__, cudaGetErrorString(e_)); fflush(stdout); } \
  } while (0)
#define SAY(...) (printf(__VA_ARGS__), fflush(stdout))

static FILE* lists;
static u32* T;    // times
static int* G;    // 256 MiB of zeros
static int* Out;  // what nobody reads

__device__ __forceinline__ u32 now() {
  u32 c;
  asm volatile("mov.u32 %0,%%clock;" : "=r"(c)::"memory");
  return c;
}
/// Waits for the value, then reads the clock.
__device__ __forceinline__ u32 after(u32 value) {
  u32 c;
  asm volatile("{.reg .pred p; setp.eq.u32 p,%1,0x7fffffff; @p trap; mov.u32 %0,%%clock;}" : "=r"(c) : "r"(value) : "memory");
  return c;
}
__device__ __forceinline__ void pause(u32 cycles) {
  const u32 begin = now();
  while (now() - begin < cycles) {
  }
}
__device__ __forceinline__ u32 smid() {
  u32 s;
  asm volatile("mov.u32 %0,%%smid;" : "=r"(s));
  return s;
}
__device__ __forceinline__ int load_ca(const int* p) {
  int v;
  asm volatile("ld.global.ca.b32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
__device__ __forceinline__ int load_cg(const int* p) {
  int v;
  asm volatile("ld.global.cg.b32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
static std::vector<u32> times(int n) {
  CK(cudaDeviceSynchronize());
  std::vector<u32> v(n);
  CK(cudaMemcpy(v.data(), T, n * 4, cudaMemcpyDeviceToHost));
  return v;
}
static u32 median(std::vector<u32> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}
static void summary(const std::string& name, std::vector<u32> v) {
  const u32 first = v[0];
  std::sort(v.begin(), v.end());
  double sum = 0;
  for (u32 x : v) sum += x;
  auto q = [&](double f) { return v[(size_t)((v.size() - 1) * f)]; };
  SAY("%s first %u mean %.1f min %u p10 %u p25 %u p50 %u p75 %u p90 %u p99 %u max %u\n", name.c_str(), first, sum / v.size(),
      v[0], q(.1), q(.25), q(.5), q(.75), q(.9), q(.99), v.back());
}

// Fences --------------------------------------------------------------------------------------------------------------
template <int Kind>
__device__ __forceinline__ void fence() {
  if (Kind == 0) asm volatile("fence.acq_rel.cta;" ::: "memory");
  if (Kind == 1) asm volatile("fence.acq_rel.gpu;" ::: "memory");
  if (Kind == 2) asm volatile("fence.acq_rel.sys;" ::: "memory");
  if (Kind == 3) asm volatile("fence.sc.cta;" ::: "memory");
  if (Kind == 4) asm volatile("fence.sc.gpu;" ::: "memory");
  if (Kind == 5) __threadfence();
  if (Kind == 6) __threadfence_block();
}
static const char* kKinds[] = {"acq_rel.cta", "acq_rel.gpu", "acq_rel.sys", "sc.cta", "sc.gpu", "threadfence", "threadfence_block"};
static const char* kBefore[] = {"nothing", "store", "load_used", "atom_used", "red", "store_shared", "8_stores", "scattered_store", "load_in_flight", "fence"};
template <int Kind, int Before>
__global__ void fence_alone(int* g, u32* t) {
  __shared__ u32 s[64];
  u32 d[8], v = 0, early = 0;
#pragma unroll
  for (int r = 0; r < 8; r++) {
    int* p = g + threadIdx.x + r * 65536;
    pause(4000);
    if (Before == 1) *(volatile int*)p = r;
    if (Before == 2) v += after(load_cg(p));
    if (Before == 3) v += after(atomicAdd(p, 1 + (int)v % 2));
    if (Before == 4) asm volatile("red.global.add.u32 [%0],%1;" ::"l"(p), "r"(r) : "memory");
    if (Before == 5) *(volatile u32*)(s + threadIdx.x) = r;
    if (Before == 6)
#pragma unroll
      for (int i = 0; i < 8; i++) *(volatile int*)(p + i * 1024) = r;
    if (Before == 7) *(volatile int*)(p + threadIdx.x * 1024) = r;
    if (Before == 8) early = (u32)load_cg(p);
    if (Before == 9) fence<Kind>();
    const u32 a = now();
    fence<Kind>();
    const u32 b = now();
    if (Before == 8) v += after(early);
    d[r] = b - a;
  }
  if (threadIdx.x == 0)
#pragma unroll
    for (int r = 0; r < 8; r++) t[r] = d[r];
  g[threadIdx.x] = (int)v + (int)s[threadIdx.x] % 2;
}
/// Warp 1 stores (or not), then warp 0 fences without a store of its own.
template <int Kind>
__global__ void fence_other(int* g, u32* t, int stores) {
  u32 d[8];
#pragma unroll
  for (int r = 0; r < 8; r++) {
    pause(4000);
    __syncthreads();
    if (threadIdx.x >= 32)
      for (int i = 0; i < stores; i++) *(volatile int*)(g + threadIdx.x + (r * 32 + i) * 1024) = r;
    __syncthreads();
    const u32 a = now();
    if (threadIdx.x < 32) fence<Kind>();
    const u32 b = now();
    d[r] = b - a;
  }
  if (threadIdx.x == 0)
#pragma unroll
    for (int r = 0; r < 8; r++) t[r] = d[r];
}
/// All warps of all blocks fence over and over, with or without a store before each.
template <int Kind>
__global__ void fence_many(int* g, u32* t, int store) {
  __syncthreads();
  const u32 a = now();
#pragma unroll 1
  for (int r = 0; r < 16; r++) {
    if (store) *(volatile int*)(g + blockIdx.x * blockDim.x + threadIdx.x) = r;
    fence<Kind>();
  }
  const u32 b = now();
  __syncthreads();
  const u32 c = now();
  if (threadIdx.x == 0 && blockIdx.x == 0) t[0] = b - a, t[1] = c - a;
}
/// Whether a line is still in the L1 after ...
template <int What>
__global__ void keeps_l1(int* g, u32* t) {
  u32 v = 0, d[4];
#pragma unroll
  for (int r = 0; r < 4; r++) {
    int* p = g + r * 1024;
    v += after(load_ca(p));
    v += after(load_ca(p));
    if (What == 1) fence<0>();
    if (What == 2) fence<1>();
    if (What == 3) fence<2>();
    if (What == 4) {
      int x;
      asm volatile("ld.acquire.gpu.b32 %0,[%1];" : "=r"(x) : "l"(g + 500000) : "memory");
      v += after(x);
    }
    if (What == 5) *(volatile int*)(p + 1) = 0;
    if (What == 6) *(volatile int*)(p + 16) = 0;
    if (What == 7) *(volatile int*)(p + 500000) = 0;
    if (What == 8) v += after(atomicAdd(p + 1, 1));
    if (What == 9) {
      int x;
      asm volatile("ld.volatile.global.b32 %0,[%1];" : "=r"(x) : "l"(p) : "memory");
      v += after(x);
    }
    if (What == 10) __syncthreads();
    pause(2000);
    const u32 a = after(v);
    const u32 b = after(load_ca(p));
    d[r] = b - a;
  }
  for (int r = 0; r < 4; r++) t[r] = d[r];
  g[0] = (int)(v & 0);
}

// Grid barriers -------------------------------------------------------------------------------------------------------
__global__ void grid_rounds(int* data, u32* t, int mode) {
  __shared__ u32 s[32];
  cg::grid_group grid = cg::this_grid();
  const int i = (int)grid.thread_rank(), n = (int)grid.size();
  grid.sync();
  for (int r = 0; r < 32; r++) {
    const u32 a = now();
    int value = 0;
    if (mode == 2) value = data[(i + 1) % n] + data[(i + n - 1) % n];
    if (mode == 1) data[i] = r;
    grid.sync();
    if (mode == 2) {
      data[i] = value % 1000003;
      grid.sync();
    }
    const u32 b = now();
    if (threadIdx.x == 0) s[r] = b - a;
  }
  __syncthreads();
  if (i < 32) t[i] = s[i];
}
__global__ void hand_barrier(int* bar, int* data, u32* t, int store) {
  u32 d[8][6], polls[8];
  const int thread = threadIdx.x;
#pragma unroll
  for (int r = 0; r < 8; r++) {
    pause(3000);
    if (store) *(volatile int*)(data + blockIdx.x * blockDim.x + thread) = r;
    const u32 a = now();
    __syncthreads();
    polls[r] = 0;
    if (thread == 0) {
      const u32 b = now();
      __threadfence();
      const u32 c = now();
      const u32 e = after((u32)atomicAdd(bar, 1));
      int seen;
      do {
        seen = *(volatile int*)bar;
        polls[r]++;
      } while (seen < (int)(gridDim.x * (r + 1)));
      const u32 f = after((u32)seen);
      __threadfence();
      const u32 h = now();
      d[r][0] = b - a, d[r][1] = c - b, d[r][2] = e - c, d[r][3] = f - e, d[r][4] = h - f;
    }
    __syncthreads();
    d[r][5] = now() - a;
  }
  if (thread == 0 && blockIdx.x == 0)
#pragma unroll
    for (int r = 0; r < 8; r++) {
#pragma unroll
      for (int k = 0; k < 6; k++) t[r * 7 + k] = d[r][k];
      t[r * 7 + 6] = polls[r];
    }
}

// Contention ----------------------------------------------------------------------------------------------------------
/// As the program `atomics` does it. order: who came at which place. log: what each try returned, and when.
template <typename W>
__global__ void swap_all(W* word, u32* order, u32* tries, u32* t, u32* log, int logged) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  const u32 a = now();
  W old = *(volatile W*)word, seen;
  u32 n = 0;
  do {
    seen = old;
    old = atomicCAS(word, seen, seen + 3);
    if (logged) {
      const u32 c = after((u32)old);
      if ((int)n < logged) log[(i * logged + n) * 2] = (u32)old, log[(i * logged + n) * 2 + 1] = c - a;
    }
    ++n;
  } while (old != seen);
  const u32 b = now();
  order[(u32)seen / 3] = i;
  tries[i] = n;
  t[i] = b - a;
}
__device__ void lock_add(int* lock, int* value, u32& tries) {
  bool done = false;
  while (!done) {
    ++tries;
    if (atomicCAS(lock, 0, 1) == 0) {
      *(volatile int*)value = *(volatile int*)value + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
__global__ void lock_all(int* lock, u32* tries, u32* t) {
  const u32 w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  __syncthreads();
  const u32 a = now();
  u32 n = 0;
  if (threadIdx.x % 32 == 0) {
    lock_add(lock, lock + 1, n);
    tries[w] = n;
    t[w] = now() - a;
  }
}
static const char* kReds[] = {"add_s32", "min_s32", "inc_u32", "and_b32", "add_u64", "max_u64", "add_f32", "add_f64", "exch_used", "add_used", "inc_used"};
template <int Op>
__global__ void one_word(void* p, u32* t) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  const u32 a = now();
  u32 v = 0;
#pragma unroll 1
  for (int r = 0; r < 8; r++) {
    if (Op == 0) atomicAdd((int*)p, i);
    if (Op == 1) atomicMin((int*)p, -i);
    if (Op == 2) atomicInc((u32*)p, 99);
    if (Op == 3) atomicAnd((u32*)p, ~i);
    if (Op == 4) atomicAdd((u64*)p, 1ull << 33);
    if (Op == 5) atomicMax((u64*)p, (u64)i << 33);
    if (Op == 6) atomicAdd((float*)p, .5f);
    if (Op == 7) atomicAdd((double*)p, .5);
    if (Op == 8) v += (u32)atomicExch((int*)p, i + (int)v % 2);
    if (Op == 9) v += (u32)atomicAdd((int*)p, i + (int)v % 2);
    if (Op == 10) v += atomicInc((u32*)p, 99 + v % 2);
  }
  __threadfence();
  const u32 b = after(v & 1);
  if (threadIdx.x == 0) t[blockIdx.x] = b - a;
}

// Calls ---------------------------------------------------------------------------------------------------------------
__device__ __forceinline__ void passes(u32* c) {
  u32 mask, lane;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  asm volatile("mov.u32 %0,%%laneid;" : "=r"(lane));
  if ((u32)__ffs((int)mask) - 1 == lane) atomicAdd(c, 1);
}
__device__ __noinline__ int fibonacci(int n, u32* c) {
  passes(c);
  if (n < 2) return n;
  const int a = fibonacci(n - 1, c);
  passes(c + 1);
  const int b = fibonacci(n - 2, c);
  passes(c + 2);
  return a + b;
}
__device__ __noinline__ int plain_fibonacci(int n) { return n < 2 ? n : plain_fibonacci(n - 1) + plain_fibonacci(n - 2); }
__device__ __noinline__ int depth_only(int n, u32* c) {
  passes(c);
  if (n < 1) return n;
  const int a = depth_only(n - 1, c);
  passes(c + 1);
  return a * 3 + 1;
}
__global__ void calls(int* out, u32* t, int kind, int what) {
  __shared__ u32 c[4];
  const int lane = threadIdx.x;
  if (lane < 4) c[lane] = 0;
  __syncwarp();
  const int n = kind == 0 ? 10 : kind == 1 ? lane % 13 : kind == 2 ? (lane < 16 ? 10 : 5) : kind == 3 ? (lane % 2 ? 10 : 9) : kind == 4 ? (lane == 0 ? 12 : 0) : lane % 3;
  const u32 a = now();
  const int v = what == 0 ? fibonacci(n, c) : what == 1 ? depth_only(n, c) : plain_fibonacci(n);
  __syncwarp();
  const u32 b = after((u32)v);
  out[lane] = v;
  if (lane == 0) t[0] = b - a;
  __syncwarp();
  if (lane < 3) t[1 + lane] = c[lane];
}

// The L2 --------------------------------------------------------------------------------------------------------------
__device__ u32 claimed;
static u32 launches;
/// Whether this thread is the one that works: the first to come on an SM.
__device__ __forceinline__ bool chosen(u32 sm, u32 launch) {
  return smid() == sm && threadIdx.x == 0 && atomicExch(&claimed, launch) != launch;
}
/// On one SM. op 0: load around the L1, 1: store, 2: atomic.
__global__ void lines_of(int* g, int n, int stride, u32* t, u32 sm, int op, u32 launch) {
  if (!chosen(sm, launch)) return;
  int off = 0;
  for (int i = 0; i < n; i++) {
    int* p = g + (size_t)i * stride + off;
    if (op == 1) {
      *(volatile int*)p = 0;
      t[i] = 0;
      continue;
    }
    const u32 a = now();
    const int v = op == 0 ? load_cg(p) : atomicAdd(p, off);
    off += v;
    t[i] = after((u32)off) - a;
  }
}
__global__ void sweep(int* g, size_t n, int stride, u32* t, u32 sm, u32 launch) {
  if (!chosen(sm, launch)) return;
  int off = 0;
  const u64 a = clock64();
  for (size_t i = 0; i < n; i++) off += load_cg(g + i * stride + off);
  const u64 b = clock64();
  t[0] = (u32)((b - a) / n * 10 + (b - a) % n * 10 / n) + (off == 77);
}
__global__ void fill_all(int* g, size_t n) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) g[i] = 0;
}
__global__ void which_sm(u32* t) {
  if (threadIdx.x == 0) t[blockIdx.x] = smid();
}
static void lines(const char* name, int* g, int n, int stride, u32 sm, int op, bool list) {
  lines_of<<<1320, 32>>>(g, n, stride, T, sm, op, ++launches);
  auto v = times(n);
  if (op == 1) return;
  summary(std::string("l2 ") + name + " sm " + std::to_string(sm), v);
  if (list)
    for (int i = 0; i < n; i++) fprintf(lists, "l2,%s,%u,%d,%u\n", name, sm, i, v[i]);
}

// The L1 --------------------------------------------------------------------------------------------------------------
__global__ void l1_size(int* g, u32* t, int lines) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  int off = 0;
  u32 missed = 0;
  for (int r = 0; r < 3; r++) {
    missed = 0;
    for (int i = 0; i < lines; i++) {
      const u32 a = after((u32)off);
      off += load_ca(g + i * 32 + off);
      missed += after((u32)off) - a > 120;
    }
  }
  t[0] = missed;
}
static void l1_row(const char* name, int kib, int threads, int blocks, int carveout) {
  CK(cudaFuncSetAttribute(l1_size, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
  CK(cudaFuncSetAttribute(l1_size, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  std::string text;
  int fits = 0;
  for (int k = 4; k <= 256; k += 4) {
    l1_size<<<blocks, threads, kib * 1024>>>(G, T, k * 8);
    const u32 missed = times(1)[0];
    if (missed == 0) fits = k;
    if (k % 16 == 0) text += " " + std::to_string(k) + ":" + std::to_string(missed * 100 / (k * 8));
  }
  SAY("l1 %s shared_kib %d threads %d blocks %d carveout %d fits_kib %d missed%s\n", name, kib, threads, blocks, carveout, fits, text.c_str());
}

// Managed memory ------------------------------------------------------------------------------------------------------
__global__ void touch(int* g, int n, int stride, u32* t, int write) {
  int off = 0;
  for (int i = 0; i < n; i++) {
    u64 a, b;
    int* p = g + (size_t)i * stride + off;
    asm volatile("mov.u64 %0,%%globaltimer;" : "=l"(a)::"memory");
    const u32 c = now();
    int v = 0;
    if (write)
      v = atomicAdd(p, off);
    else
      v = load_cg(p);
    off += v;
    const u32 d = after((u32)off);
    asm volatile("mov.u64 %0,%%globaltimer;" : "=l"(b)::"memory");
    t[i * 2] = d - c;
    t[i * 2 + 1] = (u32)(b - a);
  }
}
__global__ void read_all(const int* g, size_t n, int* out) {
  int v = 0;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += g[i];
  if (v == 77) *out = v;
}
static double us() { return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

template <int K, int B>
static void fences_one() {
  u32 first = 0;
  std::vector<u32> all;
  for (int r = 0; r < 3; r++) {
    fence_alone<K, B><<<1, 32>>>(G, T);
    auto v = times(8);
    if (!r) first = v[0];
    all.insert(all.end(), v.begin(), v.end());
  }
  const u32 least = *std::min_element(all.begin(), all.end()), most = *std::max_element(all.begin(), all.end());
  SAY("fence %s after %s first %u median %u min %u max %u\n", kKinds[K], kBefore[B], first, median(all), least, most);
}
template <int K>
static void fences() {
  fences_one<K, 0>(); fences_one<K, 1>(); fences_one<K, 2>(); fences_one<K, 3>(); fences_one<K, 4>();
  fences_one<K, 5>(); fences_one<K, 6>(); fences_one<K, 7>(); fences_one<K, 8>(); fences_one<K, 9>();
}
template <int K>
static void fences_beside() {
  for (int stores : {0, 1, 8}) {
    std::vector<u32> all;
    for (int r = 0; r < 3; r++) {
      fence_other<K><<<1, 64>>>(G, T, stores);
      auto v = times(8);
      all.insert(all.end(), v.begin(), v.end());
    }
    SAY("fence_other %s stores_of_other_warp %d median %u min %u max %u\n", kKinds[K], stores, median(all),
        *std::min_element(all.begin(), all.end()), *std::max_element(all.begin(), all.end()));
  }
  for (int store : {0, 1})
    for (int blocks : {1, 8, 132})
      for (int threads : {32, 128, 1024}) {
        std::vector<u32> a, b;
        for (int r = 0; r < 3; r++) {
          fence_many<K><<<blocks, threads>>>(G, T, store);
          auto v = times(2);
          a.push_back(v[0]), b.push_back(v[1]);
        }
        SAY("fence_many %s store %d blocks %d threads %d each %.1f each_with_all_warps %.1f\n", kKinds[K], store, blocks, threads,
            median(a) / 16., median(b) / 16.);
      }
}
template <int W>
static void keeps(const char* name) {
  std::vector<u32> all;
  for (int r = 0; r < 3; r++) {
    keeps_l1<W><<<1, 1>>>(G, T);
    auto v = times(4);
    all.insert(all.end(), v.begin(), v.end());
  }
  SAY("keeps_l1 after %s median %u min %u max %u\n", name, median(all), *std::min_element(all.begin(), all.end()),
      *std::max_element(all.begin(), all.end()));
}
template <typename W>
static void swaps(const char* name, int blocks, int threads, int logged) {
  const int n = blocks * threads;
  W* word = (W*)(Out + 1024);
  u32 *order, *tries, *log = nullptr;
  CK(cudaMalloc(&order, n * 4));
  CK(cudaMalloc(&tries, n * 4));
  if (logged) CK(cudaMalloc(&log, (size_t)n * logged * 8));
  for (int r = 0; r < 3; r++) {
    CK(cudaMemset(word, 0, 8));
    if (logged) CK(cudaMemset(log, 0xff, (size_t)n * logged * 8));
    swap_all<W><<<blocks, threads>>>(word, order, tries, T, log, logged);
    auto t = times(n);
    std::vector<u32> o(n), k(n);
    CK(cudaMemcpy(o.data(), order, n * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(k.data(), tries, n * 4, cudaMemcpyDeviceToHost));
    u64 sum = 0, warps = 0;
    for (int i = 0; i < n; i += 32) {
      u32 most = 0;
      for (int j = i; j < std::min(n, i + 32); j++) sum += k[j], most = std::max(most, k[j]);
      warps += most;
    }
    SAY("swap %s blocks %d threads %d logged %d cycles %u tries %llu warp_tries %llu most %u\n", name, blocks, threads, logged,
        *std::max_element(t.begin(), t.end()), sum, warps, *std::max_element(k.begin(), k.end()));
    for (int i = 0; i < n; i++) fprintf(lists, "order,%s %dx%d run %d,%d,%u,%u\n", name, blocks, threads, r, i, o[i], k[o[i] % n]);
    if (logged && r == 0) {
      std::vector<u32> l((size_t)n * logged * 2);
      CK(cudaMemcpy(l.data(), log, l.size() * 4, cudaMemcpyDeviceToHost));
      for (int i = 0; i < n; i++)
        for (int j = 0; j < logged && j < (int)k[i]; j++)
          fprintf(lists, "try,%s %dx%d,%d,%d,%u,%u\n", name, blocks, threads, i, j, l[((size_t)i * logged + j) * 2], l[((size_t)i * logged + j) * 2 + 1]);
    }
  }
  CK(cudaFree(order));
  CK(cudaFree(tries));
  if (log) CK(cudaFree(log));
}
template <int Op>
static void words() {
  for (int blocks : {1, 8})
    for (int threads : {32, 128}) {
      std::vector<u32> all;
      for (int r = 0; r < 3; r++) {
        CK(cudaMemset(Out, 0, 64));
        one_word<Op><<<blocks, threads>>>(Out, T);
        auto v = times(blocks);
        all.push_back(*std::max_element(v.begin(), v.end()));
      }
      SAY("one_word %s blocks %d threads %d each %.1f\n", kReds[Op], blocks, threads, median(all) / 8.);
    }
}
int main(int argc, char** argv) {
  lists = fopen(argc > 1 ? argv[1] : "/dev/null", "w");
  const bool managed = argc <= 2 || strcmp(argv[2], "no_managed") != 0;
  const size_t bytes = 256u << 20;
  CK(cudaMalloc(&T, 4 << 20));
  CK(cudaMalloc(&G, bytes));
  CK(cudaMalloc(&Out, 16 << 20));
  CK(cudaMemset(G, 0, bytes));
  CK(cudaMemset(Out, 0, 16 << 20));

  fences<0>(); fences<1>(); fences<2>(); fences<3>(); fences<4>(); fences<5>(); fences<6>();
  fences_beside<0>(); fences_beside<1>(); fences_beside<4>();
  keeps<0>("nothing"); keeps<1>("fence.cta"); keeps<2>("fence.gpu"); keeps<3>("fence.sys"); keeps<4>("ld.acquire.gpu");
  keeps<5>("store_to_sector"); keeps<6>("store_to_line"); keeps<7>("store_elsewhere"); keeps<8>("atomic_in_sector");
  keeps<9>("ld.volatile"); keeps<10>("barrier");

  for (int mode : {0, 1, 2})
    for (int threads : {32, 128, 1024})
      for (int blocks : {1, 2, 4, 8, 16, 33, 66, 132}) {
        std::vector<u32> all;
        for (int r = 0; r < 3; r++) {
          void* arguments[] = {&G, &T, &mode};
          CK(cudaLaunchCooperativeKernel((void*)grid_rounds, dim3(blocks), dim3(threads), arguments, 0, 0));
          auto v = times(32);
          all.insert(all.end(), v.begin(), v.end());
        }
        SAY("grid_sync mode %d threads %d blocks %d first %u median %u min %u max %u\n", mode, threads, blocks, all[0], median(all),
            *std::min_element(all.begin(), all.end()), *std::max_element(all.begin(), all.end()));
      }
  for (int store : {0, 1})
    for (int blocks : {1, 8, 132})
      for (int r = 0; r < 3; r++) {
        int* bar = Out;
        CK(cudaMemset(bar, 0, 64));
        void* arguments[] = {&bar, &G, &T, &store};
        CK(cudaLaunchCooperativeKernel((void*)hand_barrier, dim3(blocks), dim3(128), arguments, 0, 0));
        auto v = times(56);
        for (int k : {1, 5})
          SAY("hand_barrier store %d blocks %d round %d block %u fence %u add %u wait %u fence2 %u all %u polls %u\n", store, blocks, k,
              v[k * 7], v[k * 7 + 1], v[k * 7 + 2], v[k * 7 + 3], v[k * 7 + 4], v[k * 7 + 5], v[k * 7 + 6]);
      }

  swaps<u64>("u64", 1, 2, 0); swaps<u64>("u64", 1, 32, 0); swaps<u64>("u64", 1, 64, 0); swaps<u64>("u64", 2, 32, 0);
  swaps<u64>("u64", 1, 128, 0); swaps<u64>("u64", 8, 32, 0); swaps<u64>("u64", 1, 1024, 0); swaps<u64>("u64", 8, 128, 0);
  swaps<u32>("u32", 1, 32, 0); swaps<u32>("u32", 2, 32, 0); swaps<u32>("u32", 8, 128, 0);
  swaps<u64>("u64", 1, 32, 64); swaps<u64>("u64", 1, 64, 128); swaps<u64>("u64", 2, 32, 128); swaps<u64>("u64", 8, 8, 128);
  for (auto [blocks, threads] : {std::pair{1, 32}, {1, 128}, {8, 32}, {8, 128}, {1, 1024}})
    for (int r = 0; r < 3; r++) {
      CK(cudaMemset(Out, 0, 64));
      lock_all<<<blocks, threads>>>(Out, (u32*)Out + 64, T);
      const int warps = blocks * threads / 32;
      auto t = times(warps);
      std::vector<u32> k(warps);
      CK(cudaMemcpy(k.data(), Out + 64, warps * 4, cudaMemcpyDeviceToHost));
      u32 sum = 0;
      for (u32 x : k) sum += x;
      SAY("lock blocks %d threads %d cycles %u tries %u most %u\n", blocks, threads, *std::max_element(t.begin(), t.end()), sum,
          *std::max_element(k.begin(), k.end()));
    }
  words<0>(); words<1>(); words<2>(); words<3>(); words<4>(); words<5>(); words<6>(); words<7>(); words<8>(); words<9>(); words<10>();

  CK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  const char* calls_of[] = {"fibonacci", "depth", "plain"};
  const char* depths[] = {"all_10", "lane%13", "halves_10_5", "10_and_9", "one_12", "lane%3"};
  for (int what : {0, 1, 2})
    for (int kind = 0; kind < 6; kind++)
      for (int r = 0; r < 3; r++) {
        calls<<<1, 32>>>(Out, T, kind, what);
        auto v = times(4);
        SAY("calls %s depths %s cycles %u entries %u after_first %u after_second %u\n", calls_of[what], depths[kind], v[0], v[1], v[2], v[3]);
      }

  {
    const int n = 2048, stride = 2048;  // 8 KiB apart: 16 MiB
    std::vector<int> zeros(4 << 20, 0);
    int* q;
    CK(cudaMalloc(&q, 16 << 20));
    auto copy = [&] { CK(cudaMemcpy(q, zeros.data(), 16 << 20, cudaMemcpyHostToDevice)); };
    auto flush = [&] { fill_all<<<132, 256>>>(G, bytes / 4); CK(cudaDeviceSynchronize()); };
    which_sm<<<132, 1024>>>(T);
    auto sms = times(132);
    std::string text;
    for (u32 s : sms) text += " " + std::to_string(s);
    SAY("sm_of_block%s\n", text.c_str());
    copy();
    lines("after_copy", q, n, stride, 0, 0, true);
    lines("after_copy_2nd", q, n, stride, 0, 0, true);
    lines("after_copy_3rd", q, n, stride, 0, 0, false);
    for (u32 s : {1u, 2u, 16u, 17u, 31u, 48u, 64u, 80u, 97u, 112u, 130u, 131u}) {
      lines("other_sm_1st", q, n, stride, s, 0, true);
      lines("other_sm_2nd", q, n, stride, s, 0, true);
    }
    lines("atomic", q, n, stride, 0, 2, true);
    lines("after_atomic", q, n, stride, 0, 0, true);
    lines("after_atomic_2nd", q, n, stride, 0, 0, true);
    flush();
    lines("dram", q, n, stride, 0, 0, true);
    lines("dram_2nd", q, n, stride, 0, 0, true);
    flush();
    for (u32 s = 0; s < 132; s += 11) {  // reads of one SM, then of another: who pays for what
      flush();
      lines("dram_by_0", q, n, stride, 0, 0, false);
      lines("then_by_other", q, n, stride, s, 0, true);
      lines("then_by_other_2nd", q, n, stride, s, 0, false);
    }
    lines("store_by_0", q, n, stride, 0, 1, false);
    lines("stored_read_by_0", q, n, stride, 0, 0, true);
    lines("stored_read_by_0_2nd", q, n, stride, 0, 0, true);
    for (u32 s : {1u, 2u, 16u, 17u, 64u, 131u}) {
      lines("read", q, n, stride, s, 0, false);
      lines("read_again", q, n, stride, s, 0, false);
      lines("store_by_0", q, n, stride, 0, 1, false);
      lines("read_after_store_of_0", q, n, stride, s, 0, true);
      lines("read_after_store_of_0_2nd", q, n, stride, s, 0, false);
      lines("store", q, n, stride, s, 1, false);
      lines("read_after_own_store", q, n, stride, s, 0, true);
    }
    // neighbouring lines and sectors: how fine the parts are
    copy();
    lines("fine_128", q, 4096, 32, 0, 0, true);
    lines("fine_128_2nd", q, 4096, 32, 0, 0, true);
    copy();
    lines("fine_32", q, 4096, 8, 0, 0, true);
    lines("fine_32_2nd", q, 4096, 8, 0, 0, true);
    flush();
    lines("fine_32_dram", q, 4096, 8, 0, 0, true);
    for (u32 sm : {0u, 16u})
      for (int mib : {4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 64})
        for (int r = 0; r < 3; r++) {
          sweep<<<1320, 32>>>(G, (size_t)mib * 8192, 32, T, sm, ++launches);
          SAY("l2 sweep sm %u mib %d pass %d cycles %.1f\n", sm, mib, r, times(1)[0] / 10.);
        }
    CK(cudaFree(q));
  }

  for (int kib : {0, 1, 4, 7, 8, 15, 16, 31, 32, 48, 63, 64, 80, 99, 100, 120, 131, 132, 150, 163, 164, 180, 195, 196, 210, 227})
    l1_row("shared", kib, 32, 1, -1);
  l1_row("shared_again", 0, 32, 1, -1);
  for (int kib : {0, 1, 4, 16, 48})
    for (int threads : {32, 128, 256, 1024}) {
      l1_row("occupancy", kib, threads, 1, -1);
      l1_row("occupancy", kib, threads, 1320, -1);
    }
  for (int carveout : {0, 10, 25, 50, 75, 100}) l1_row("carveout", 1, 32, 1, carveout);

  fflush(lists);
  if (!managed) return 0;
  int value = 0;
  CK(cudaDeviceGetAttribute(&value, cudaDevAttrConcurrentManagedAccess, 0));
  SAY("managed concurrent %d\n", value);
  CK(cudaDeviceGetAttribute(&value, cudaDevAttrPageableMemoryAccess, 0));
  SAY("managed pageable %d\n", value);
  const size_t size = 16 << 20;
  cudaMemLocation device{}, host{};
  device.type = cudaMemLocationTypeDevice;
  device.id = 0;
  host.type = cudaMemLocationTypeHost;
  for (int run = 0; run < 3; run++) {
    int* m;
    CK(cudaMallocManaged(&m, size));
    auto list = [&](const char* name, int n) {
      auto v = times(n * 2);
      std::vector<u32> ns(n);
      for (int i = 0; i < n; i++) ns[i] = v[i * 2 + 1], fprintf(lists, "managed,%s run %d,%d,%u,%u\n", name, run, i, v[i * 2], v[i * 2 + 1]);
      double sum = 0;
      int slow = 0;
      for (u32 x : ns) sum += x, slow += x > 5000;
      summary(std::string("managed ") + name + " ns", ns);
      SAY("managed %s touches %d faulted %d all_us %.1f\n", name, n, slow, sum / 1000);
    };
    // nobody has touched it: 4 KiB apart
    touch<<<1, 1>>>(m, 512, 1024, T, 0);
    list("untouched_read", 512);
    memset(m, 0, size);
    touch<<<1, 1>>>(m, 1024, 1024, T, 0);
    list("host_written_read_4k", 1024);
    memset(m, 0, size);
    touch<<<1, 1>>>(m, 1024, 1024, T, 1);
    list("host_written_write_4k", 1024);
    memset(m, 0, size);
    touch<<<1, 1>>>(m, 8, 524288, T, 0);
    list("host_written_read_2m", 8);
    memset(m, 0, size);
    touch<<<1, 1>>>(m, 64, 16384, T, 0);
    list("host_written_read_64k", 64);
    for (size_t part : {(size_t)4096, (size_t)65536, (size_t)262144, (size_t)2 << 20, size}) {
      memset(m, 0, size);
      CK(cudaDeviceSynchronize());
      double a = us();
      read_all<<<132, 256>>>(m, part / 4, Out);
      CK(cudaDeviceSynchronize());
      const double first = us() - a;
      a = us();
      read_all<<<132, 256>>>(m, part / 4, Out);
      CK(cudaDeviceSynchronize());
      const double second = us() - a;
      a = us();
      volatile int sink = 0;
      for (size_t i = 0; i < part / 4; i += 1024) sink = sink + m[i];
      const double back = us() - a;
      a = us();
      for (size_t i = 0; i < part / 4; i += 1024) sink = sink + m[i];
      SAY("managed kernel bytes %zu first_us %.1f second_us %.1f back_by_host_us %.1f again_us %.1f\n", part, first, second, back, us() - a);
    }
    for (size_t part : {(size_t)4096, (size_t)65536, (size_t)2 << 20, size}) {
      memset(m, 0, size);
      CK(cudaDeviceSynchronize());
      double a = us();
      CK(cudaMemPrefetchAsync(m, part, device, 0));
      CK(cudaDeviceSynchronize());
      const double there = us() - a;
      a = us();
      read_all<<<132, 256>>>(m, part / 4, Out);
      CK(cudaDeviceSynchronize());
      const double kernel = us() - a;
      a = us();
      CK(cudaMemPrefetchAsync(m, part, host, 0));
      CK(cudaDeviceSynchronize());
      SAY("managed prefetch bytes %zu to_device_us %.1f kernel_us %.1f to_host_us %.1f\n", part, there, kernel, us() - a);
    }
    CK(cudaFree(m));
  }
  fclose(lists);
  SAY("end %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
