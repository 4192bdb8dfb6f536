// Self-timed microbenchmarks: same PTX on hardware and in the simulator. Prints "name value".
// clang-format off
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#define CK(x)                                         \
  do {                                                \
    cudaError_t e_ = (x);                             \
    if (e_ != cudaSuccess) {                          \
      printf("%s: %s\n", #x, cudaGetErrorString(e_)); \
    }                                                 \
  } while (0)
typedef unsigned u32;
typedef unsigned long long u64;
typedef long long s64;
#define N 32
#define DEFOP(name, T, C, ...)                                                                             \
  __global__ void lat_##name(T* out, T a, T b, s64* t) {                                                   \
    T x = a;                                                                                               \
    _Pragma("unroll 1") for (int r = 0; r < 3; r++) {                                                      \
      s64 s = clock64();                                                                                   \
      _Pragma("unroll") for (int i = 0; i < N; i++) { asm volatile(__VA_ARGS__ : "+" C(x) : C(a), C(b)); } \
      s64 e = clock64();                                                                                   \
      if (threadIdx.x == 0) t[0] = e - s;                                                                  \
    }                                                                                                      \
    out[threadIdx.x] = x;                                                                                  \
  }                                                                                                        \
  __global__ void thr_##name(T* out, T a, T b, s64* t) {                                                   \
    T x = a, y = b, z = a, w = b;                                                                          \
    _Pragma("unroll 1") for (int r = 0; r < 2; r++) {                                                      \
      __syncthreads();                                                                                     \
      s64 s = clock64();                                                                                   \
      _Pragma("unroll 1") for (int k = 0; k < 4; k++) {                                                    \
        _Pragma("unroll") for (int i = 0; i < 8; i++) {                                                    \
          asm volatile(__VA_ARGS__ : "+" C(x) : C(a), C(b));                                               \
          asm volatile(__VA_ARGS__ : "+" C(y) : C(a), C(b));                                               \
          asm volatile(__VA_ARGS__ : "+" C(z) : C(a), C(b));                                               \
          asm volatile(__VA_ARGS__ : "+" C(w) : C(a), C(b));                                               \
        }                                                                                                  \
      }                                                                                                    \
      __syncthreads();                                                                                     \
      s64 e = clock64();                                                                                   \
      if (threadIdx.x == 0) t[0] = e - s;                                                                  \
    }                                                                                                      \
    out[threadIdx.x] = x + y + z + w;                                                                      \
  }
#define FOP(n, ...) DEFOP(n, float, "f", __VA_ARGS__)
#define UOP(n, ...) DEFOP(n, u32, "r", __VA_ARGS__)
#define LOP(n, ...) DEFOP(n, u64, "l", __VA_ARGS__)
#define DOP(n, ...) DEFOP(n, double, "d", __VA_ARGS__)
#define OPS                                                                                                            \
  F(fma_f32, "fma.rn.f32 %0,%0,%1,%2;")                                                                                \
  F(add_f32, "add.f32 %0,%0,%1;") F(mul_f32, "mul.f32 %0,%0,%1;") F(max_f32, "max.f32 %0,%0,%1;") F(                   \
      rcp_approx, "rcp.approx.f32 %0,%0;") F(rsqrt_approx, "rsqrt.approx.f32 %0,%0;") F(sqrt_approx,                   \
                                                                                        "sqrt.approx.f32 %0,%0;")      \
      F(ex2_approx, "ex2.approx.f32 %0,%0;") F(ex2_ftz, "ex2.approx.ftz.f32 %0,%0;") F(                                \
          rsqrt_ftz, "rsqrt.approx.ftz.f32 %0,%0;") F(rcp_ftz, "rcp.approx.ftz.f32 %0,%0;")                            \
          F(lg2_approx, "lg2.approx.f32 %0,%0;") F(sin_approx, "sin.approx.f32 %0,%0;") F(                             \
              div_rn_f32, "div.rn.f32 %0,%0,%1;") F(div_full_f32, "div.full.f32 %0,%0,%1;") F(sqrt_rn_f32,             \
                                                                                              "sqrt.rn.f32 %0,%0;")    \
              F(rcp_rn_f32, "rcp.rn.f32 %0,%0;") U(add_u32, "add.u32 %0,%0,%1;") U(xor_b32, "xor.b32 %0,%0,%1;") U(    \
                  shl_b32, "shl.b32 %0,%0,%1;") U(mul_lo_u32, "mul.lo.u32 %0,%0,%1;") U(mad_lo_u32,                    \
                                                                                        "mad.lo.u32 %0,%0,%1,%2;")     \
                  U(mul_hi_u32, "mul.hi.u32 %0,%0,%1;") U(min_u32, "min.u32 %0,%0,%1;") U(popc, "popc.b32 %0,%0;") U(  \
                      clz, "clz.b32 %0,%0;") U(brev, "brev.b32 %0,%0;") U(prmt, "prmt.b32 %0,%0,%1,%2;")               \
                      U(bfe, "bfe.u32 %0,%0,3,9;") U(funnel, "shf.l.wrap.b32 %0,%0,%1,7;") U(                          \
                          dp4a, "dp4a.u32.u32 %0,%0,%1,%2;") U(sad, "sad.u32 %0,%0,%1,%2;")                            \
                          U(fma_f16x2, "fma.rn.f16x2 %0,%0,%1,%2;") U(div_u32, "div.u32 %0,%0,%1;") U(                 \
                              rem_u32,                                                                                 \
                              "rem.u32 %0,%0,%1;") U(selp,                                                             \
                                                     "{.reg .pred p; setp.lt.u32 p,%0,%1; selp.u32 %0,%1,%2,p;}")      \
                              U(cvt_f32_u32, "{.reg .f32 f; cvt.rn.f32.u32 f,%0; mov.b32 %0,f;}") U(                   \
                                  cvt_u32_f32, "{.reg .f32 f; mov.b32 f,%0; cvt.rzi.u32.f32 %0,f;}")                   \
                                  U(shfl, "shfl.sync.bfly.b32 %0,%0,1,31,0xffffffff;") U(                              \
                                      ballot,                                                                          \
                                      "{.reg .pred p; setp.ne.u32 p,%0,%1; vote.sync.ballot.b32 %0,p,0xffffffff;}")    \
                                      U(match_any, "match.any.sync.b32 %0,%0,0xffffffff;") U(                          \
                                          activemask, "activemask.b32 %0;") L(add_u64, "add.u64 %0,%0,%1;")            \
                                          L(mul_lo_u64, "mul.lo.u64 %0,%0,%1;") L(                                     \
                                              mad_lo_u64, "mad.lo.u64 %0,%0,%1,%2;") L(shl_b64, "shl.b64 %0,%0,5;")    \
                                              L(mul_hi_u64, "mul.hi.u64 %0,%0,%1;") L(rem_u64, "rem.u64 %0,%0,%1;") L( \
                                                  div_u64, "div.u64 %0,%0,%1;") L(max_u64, "max.u64 %0,%0,%1;")        \
                                                  D(fma_f64, "fma.rn.f64 %0,%0,%1,%2;") D(                             \
                                                      add_f64, "add.f64 %0,%0,%1;") D(div_f64, "div.rn.f64 %0,%0,%1;") \
                                                      D(sqrt_f64, "sqrt.rn.f64 %0,%0;") D(                             \
                                                          rcp_f64,                                                     \
                                                          "rcp.rn.f64 %0,%0;") D(max_f64, "max.f64 %0,%0,%1;")         \
                                                          D(cvt_f64_f32,                                               \
                                                            "{.reg .f32 f; cvt.rn.f32.f64 f,%0; cvt.f64.f32 %0,f;}")
#define F FOP
#define U UOP
#define L LOP
#define D DOP
OPS
#undef F
#undef U
#undef L
#undef D

    // shared memory -------------------------------------------------------------
    __global__ void
    sh_chase(int* out, s64* t, int stride) {
  __shared__ int a[4096];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) a[i] = (i * 1) & 4095;
  __syncthreads();
  int p = threadIdx.x * stride & 4095;
  _Pragma("unroll 1") for (int r = 0; r < 3; r++) {
    s64 s = clock64();
#pragma unroll
    for (int i = 0; i < 32; i++) p = ((volatile int*)a)[p];
    s64 e = clock64();
    if (!threadIdx.x) t[0] = e - s;
  }
  out[threadIdx.x] = p;
}
template <int W>
__global__ void sh_thr(int* out, s64* t, int stride) {
  extern __shared__ int dyn[];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) dyn[i] = i;
  __syncthreads();
  u32 addr = (u32)__cvta_generic_to_shared(dyn) + ((threadIdx.x * stride * 4 * W) & 32767);
  int acc = 0;
  _Pragma("unroll 1") for (int r = 0; r < 2; r++) {
    __syncthreads();
    s64 s = clock64();
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
#pragma unroll
      for (int i = 0; i < 8; i++) {
        int x, y, z, w;
        if (W == 1) {
          asm volatile("ld.shared.b32 %0,[%1];" : "=r"(x) : "r"(addr));
          acc += x;
        } else if (W == 2) {
          asm volatile("ld.shared.v2.b32 {%0,%1},[%2];" : "=r"(x), "=r"(y) : "r"(addr));
          acc += x ^ y;
        } else {
          asm volatile("ld.shared.v4.b32 {%0,%1,%2,%3},[%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(addr));
          acc += x ^ y ^ z ^ w;
        }
      }
    }
    __syncthreads();
    s64 e = clock64();
    if (!threadIdx.x) t[0] = e - s;
  }
  out[threadIdx.x] = acc;
}
__global__ void sh_st(int* out, s64* t, int stride) {
  extern __shared__ int dyn[];
  u32 addr = (u32)__cvta_generic_to_shared(dyn) + ((threadIdx.x * stride * 4) & 32767);
  _Pragma("unroll 1") for (int r = 0; r < 2; r++) {
    __syncthreads();
    s64 s = clock64();
#pragma unroll
    for (int i = 0; i < 32; i++) asm volatile("st.shared.b32 [%0],%1;" ::"r"(addr), "r"(i) : "memory");
    __syncthreads();
    s64 e = clock64();
    if (!threadIdx.x) t[0] = e - s;
  }
  out[threadIdx.x] = dyn[threadIdx.x];
}
// kind 0 red-like add (result unused) 1 atom add used 2 cas 3 u64 add 4 float add
template <int K>
__global__ void sh_atom(int* out, s64* t, int stride, int mod) {
  extern __shared__ int dyn[];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) dyn[i] = 0;
  __syncthreads();
  int idx = (threadIdx.x * stride) % mod;
  if (K == 3) idx = idx * 1;
  int acc = 0;
  _Pragma("unroll 1") for (int r = 0; r < 2; r++) {
    __syncthreads();
    s64 s = clock64();
#pragma unroll 1
    for (int i = 0; i < 16; i++) {
      if (K == 0) atomicAdd(dyn + idx, 1);
      if (K == 1) acc += atomicAdd(dyn + idx, acc);
      if (K == 2) acc += atomicCAS(dyn + idx, acc, acc + 1);
      if (K == 3) atomicAdd((u64*)dyn + (idx & 4095), 1ull);
      if (K == 4) atomicAdd((float*)dyn + idx, 1.f);
    }
    __syncthreads();
    s64 e = clock64();
    if (!threadIdx.x) t[0] = e - s;
  }
  out[threadIdx.x] = acc + dyn[threadIdx.x];
}
__global__ void barrier(int* out, s64* t) {
  _Pragma("unroll 1") for (int r = 0; r < 3; r++) {
    s64 s = clock64();
#pragma unroll
    for (int i = 0; i < 32; i++) asm volatile("bar.sync 0;" ::: "memory");
    s64 e = clock64();
    if (!threadIdx.x) t[0] = e - s;
  }
  out[threadIdx.x] = 1;
}
__global__ void syncwarp_k(int* out, s64* t) {
  _Pragma("unroll 1") for (int r = 0; r < 3; r++) {
    s64 s = clock64();
#pragma unroll
    for (int i = 0; i < 32; i++) asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
    s64 e = clock64();
    if (!threadIdx.x) t[0] = e - s;
  }
  out[threadIdx.x] = 1;
}
// global ---------------------------------------------------------------------
template <int K>
__global__ void g_atom(int* g, int* out, s64* t, int stride) {
  int idx = threadIdx.x * stride;
  int acc = 0;
  u64 a8 = 0;
  _Pragma("unroll 1") for (int r = 0; r < 2; r++) {
    s64 s = clock64();
#pragma unroll 1
    for (int i = 0; i < 16; i++) {
      if (K == 0) acc += atomicAdd(g + idx, acc + 1);
      if (K == 1) acc += atomicCAS(g + idx, acc, acc + 1);
      if (K == 2) a8 += atomicAdd((u64*)g + idx, a8 + 1);
      if (K == 3) acc += atomicExch(g + idx, acc);
    }
    s64 e = clock64();
    if (!threadIdx.x) t[0] = e - s;
  }
  out[threadIdx.x] = acc + (int)a8;
}
__global__ void fence_k(int* g, s64* t, int kind) {
  _Pragma("unroll 1") for (int r = 0; r < 3; r++) {
    s64 s = clock64();
#pragma unroll 1
    for (int i = 0; i < 16; i++) {
      g[threadIdx.x + i * 32] = i;
      if (kind == 0)
        __threadfence();
      else if (kind == 1)
        __threadfence_block();
      else
        __threadfence_system();
    }
    s64 e = clock64();
    if (!threadIdx.x) t[0] = e - s;
  }
}
// latency of each single line, one thread, bypassing L1
__global__ void lines(const int* g, int n, int strideInts, u32* lat, int start) {
  int acc = 0;
  for (int i = 0; i < n; i++) {
    const int* p = g + (size_t)i * strideInts + (acc & start);
    s64 s = clock64();
    int v;
    asm volatile("ld.global.cg.b32 %0,[%1];" : "=r"(v) : "l"(p));
    acc += v;
    asm volatile("add.u32 %0,%0,0;" : "+r"(acc));
    s64 e;
    asm volatile("{.reg .u32 q; add.u32 q,%1,0; mov.u64 %0,%%clock64;}" : "=l"(e) : "r"(acc));
    lat[i] = (u32)(e - s);
  }
  if (acc == 123456) lat[0] = 0;
}
// dependent: addresses computed from the loaded value so that e-s cannot shrink
__global__ void lines2(const int* g, int n, int strideInts, u32* lat) {
  int off = 0;
  s64 last = clock64();
  for (int i = 0; i < n; i++) {
    int v;
    asm volatile("ld.global.cg.b32 %0,[%1];" : "=r"(v) : "l"(g + (size_t)i * strideInts + off));
    off = v;
    if (off == 1) break;
    s64 c = clock64();
    lat[i] = (u32)(c - last);
    last = c;
  }
}
__global__ void fillk(int* g, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) g[i] = 0;
}
// L1 hit throughput by width, and by lines per instruction
template <int W>
__global__ void l1_thr(const int* g, int* out, s64* t, int strideInts) {
  const int* p = g + threadIdx.x % 32 * strideInts;
  int acc = 0;
  _Pragma("unroll 1") for (int r = 0; r < 2; r++) {
    __syncthreads();
    s64 s = clock64();
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
#pragma unroll
      for (int i = 0; i < 8; i++) {
        int x, y, z, w;
        if (W == 1) {
          asm volatile("ld.global.ca.b32 %0,[%1];" : "=r"(x) : "l"(p));
          acc += x;
        } else if (W == 2) {
          asm volatile("ld.global.ca.v2.b32 {%0,%1},[%2];" : "=r"(x), "=r"(y) : "l"(p));
          acc += x ^ y;
        } else {
          asm volatile("ld.global.ca.v4.b32 {%0,%1,%2,%3},[%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p));
          acc += x ^ y ^ z ^ w;
        }
      }
    }
    __syncthreads();
    s64 e = clock64();
    if (!threadIdx.x) t[0] = e - s;
  }
  out[threadIdx.x] = acc;
}
// straight-line code, cold then warm
template <int M>
__global__ void code(float* out, float a, float b, s64* t) {
  float x = a;
  _Pragma("unroll 1") for (int r = 0; r < 3; r++) {
    s64 s = clock64();
#pragma unroll
    for (int i = 0; i < M; i++) asm volatile("fma.rn.f32 %0,%0,%1,%2;" : "+f"(x) : "f"(a), "f"(b));
    s64 e = clock64();
    if (!threadIdx.x) t[r] = e - s;
  }
  out[threadIdx.x] = x;
}
__constant__ int cst[1024];
__global__ void const_chase(int* out, s64* t) {
  int p = threadIdx.x & 0;
  _Pragma("unroll 1") for (int r = 0; r < 3; r++) {
    s64 s = clock64();
#pragma unroll
    for (int i = 0; i < 32; i++) p = cst[p];
    s64 e = clock64();
    if (!threadIdx.x) t[0] = e - s;
  }
  out[threadIdx.x] = p;
}
__global__ void const_div(int* out, s64* t) {
  int p = threadIdx.x;
  _Pragma("unroll 1") for (int r = 0; r < 3; r++) {
    s64 s = clock64();
#pragma unroll
    for (int i = 0; i < 32; i++) p = cst[p];
    s64 e = clock64();
    if (!threadIdx.x) t[0] = e - s;
  }
  out[threadIdx.x] = p;
}
// divergent branches: n-way switch
__global__ void diverge(int* out, s64* t, int ways) {
  int x = threadIdx.x;
  _Pragma("unroll 1") for (int r = 0; r < 3; r++) {
    s64 s = clock64();
#pragma unroll 1
    for (int i = 0; i < 16; i++) {
      for (int w = 0; w < ways; w++)
        if ((threadIdx.x & (ways - 1)) == w) {
          asm volatile("mad.lo.u32 %0,%0,3,1;" : "+r"(x));
          asm volatile("xor.b32 %0,%0,7;" : "+r"(x));
          if (x == -77) out[w] = x;
        }
    }
    s64 e = clock64();
    if (!threadIdx.x) t[0] = e - s;
  }
  out[threadIdx.x] = x;
}
__global__ void local_chase(int* out, s64* t, int k) {
  int a[64];
  for (int i = 0; i < 64; i++) a[i] = (i * k) & 63;
  int p = threadIdx.x & 63;
  _Pragma("unroll 1") for (int r = 0; r < 3; r++) {
    s64 s = clock64();
#pragma unroll 1
    for (int i = 0; i < 32; i++) p = a[p];
    s64 e = clock64();
    if (!threadIdx.x) t[0] = e - s;
  }
  out[threadIdx.x] = p;
}

static s64* T;
static void* O;
static s64 h[8];
static s64 get(int i = 0) {
  CK(cudaDeviceSynchronize());
  CK(cudaMemcpy(h, T, 64, cudaMemcpyDeviceToHost));
  return h[i];
}
static void pct(const char* n, u32* d, int m, int skip = 1) {
  std::vector<u32> v(m);
  CK(cudaDeviceSynchronize());
  CK(cudaMemcpy(v.data(), d, m * 4, cudaMemcpyDeviceToHost));
  u32 first = v[0];
  std::sort(v.begin() + skip, v.end());
  double s = 0;
  for (int i = skip; i < m; i++) s += v[i];
  auto q = [&](double f) { return v[skip + (int)((m - 1 - skip) * f)]; };
  printf("%s first %u mean %.1f min %u p10 %u p25 %u p50 %u p75 %u p90 %u p99 %u max %u\n", n, first, s / (m - skip),
         v[skip], q(.1), q(.25), q(.5), q(.75), q(.9), q(.99), v[m - 1]);
}
int main() {
  CK(cudaMalloc(&T, 64));
  CK(cudaMalloc(&O, 1 << 20));
  CK(cudaMemset(O, 0, 1 << 20));
#define F(n, ...)                                                                         \
  {                                                                                       \
    lat_##n<<<1, 32>>>((float*)O, 1.5f, 1.25f, T);                                        \
    double l = get() / (double)N;                                                         \
    thr_##n<<<1, 1024>>>((float*)O, 1.5f, 1.25f, T);                                      \
    printf("op %s latency %.2f cycles_per_warp_inst %.3f\n", #n, l, get() / (32. * 128)); \
  }
#define U(n, ...)                                                                         \
  {                                                                                       \
    lat_##n<<<1, 32>>>((u32*)O, 77777u, 13u, T);                                          \
    double l = get() / (double)N;                                                         \
    thr_##n<<<1, 1024>>>((u32*)O, 77777u, 13u, T);                                        \
    printf("op %s latency %.2f cycles_per_warp_inst %.3f\n", #n, l, get() / (32. * 128)); \
  }
#define L(n, ...)                                                                         \
  {                                                                                       \
    lat_##n<<<1, 32>>>((u64*)O, 7777777777777ull, 1300001ull, T);                         \
    double l = get() / (double)N;                                                         \
    thr_##n<<<1, 1024>>>((u64*)O, 7777777777777ull, 1300001ull, T);                       \
    printf("op %s latency %.2f cycles_per_warp_inst %.3f\n", #n, l, get() / (32. * 128)); \
  }
#define D(n, ...)                                                                         \
  {                                                                                       \
    lat_##n<<<1, 32>>>((double*)O, 1.5, 1.25, T);                                         \
    double l = get() / (double)N;                                                         \
    thr_##n<<<1, 1024>>>((double*)O, 1.5, 1.25, T);                                       \
    printf("op %s latency %.2f cycles_per_warp_inst %.3f\n", #n, l, get() / (32. * 128)); \
  }
  OPS for (int s : {1, 2, 4, 8, 16, 32}) {
    sh_chase<<<1, 32>>>((int*)O, T, s);
    printf("shared_latency stride %d %.2f\n", s, get() / 32.);
  }
  for (int s : {1, 2, 4, 32}) {
    sh_thr<1><<<1, 1024, 32768>>>((int*)O, T, s);
    printf("shared_ld32 stride %d cycles_per_warp_inst %.3f\n", s, get() / 1024.);
  }
  sh_thr<2><<<1, 1024, 32768>>>((int*)O, T, 1);
  printf("shared_ld64 cycles_per_warp_inst %.3f\n", get() / 1024.);
  sh_thr<4><<<1, 1024, 32768>>>((int*)O, T, 1);
  printf("shared_ld128 cycles_per_warp_inst %.3f\n", get() / 1024.);
  sh_thr<4><<<1, 1024, 32768>>>((int*)O, T, 0);
  printf("shared_ld128_bcast cycles_per_warp_inst %.3f\n", get() / 1024.);
  for (int s : {1, 2, 32}) {
    sh_st<<<1, 1024, 32768>>>((int*)O, T, s);
    printf("shared_st32 stride %d cycles_per_warp_inst %.3f\n", s, get() / 1024.);
  }
  struct {
    int st, mod;
  } A[] = {{1, 8192}, {1, 32}, {1, 8}, {1, 4}, {1, 1}, {32, 8192}};
  for (int th : {32, 1024})
    for (auto a : A) {
      sh_atom<0><<<1, th, 32768>>>((int*)O, T, a.st, a.mod);
      double r0 = get() / 16.;
      sh_atom<1><<<1, th, 32768>>>((int*)O, T, a.st, a.mod);
      double r1 = get() / 16.;
      sh_atom<2><<<1, th, 32768>>>((int*)O, T, a.st, a.mod);
      double r2 = get() / 16.;
      sh_atom<3><<<1, th, 32768>>>((int*)O, T, a.st, a.mod);
      double r3 = get() / 16.;
      sh_atom<4><<<1, th, 32768>>>((int*)O, T, a.st, a.mod);
      double r4 = get() / 16.;
      printf(
          "shared_atomic threads %d stride %d mod %d cycles_per_round add_unused %.1f add_used %.1f cas %.1f add64 "
          "%.1f addf32 %.1f\n",
          th, a.st, a.mod, r0, r1, r2, r3, r4);
    }
  for (int th : {32, 64, 128, 256, 512, 1024}) {
    barrier<<<1, th>>>((int*)O, T);
    printf("barrier threads %d %.2f\n", th, get() / 32.);
  }
  syncwarp_k<<<1, 32>>>((int*)O, T);
  printf("syncwarp %.2f\n", get() / 32.);
  int* g;
  size_t gb = 128u << 20;
  CK(cudaMalloc(&g, gb));
  CK(cudaMemset(g, 0, gb));
  CK(cudaDeviceSynchronize());
  for (int th : {32, 256})
    for (int s : {0, 1, 32}) {
      g_atom<0><<<1, th>>>(g, (int*)O, T, s);
      double a = get() / 16.;
      g_atom<1><<<1, th>>>(g, (int*)O, T, s);
      double b = get() / 16.;
      g_atom<2><<<1, th>>>(g, (int*)O, T, s);
      double c = get() / 16.;
      g_atom<3><<<1, th>>>(g, (int*)O, T, s);
      printf("global_atomic threads %d stride %d cycles_per_round add %.1f cas %.1f add64 %.1f exch %.1f\n", th, s, a,
             b, c, get() / 16.);
    }
  for (int k : {0, 1, 2}) {
    fence_k<<<1, 32>>>(g, T, k);
    printf("store_fence kind %d %.1f\n", k, get() / 16.);
  }
  for (int st : {1, 2, 4, 8, 16, 32}) {
    l1_thr<1><<<1, 1024>>>(g, (int*)O, T, st);
    printf("l1_ld32 stride %d cycles_per_warp_inst %.3f\n", st, get() / 1024.);
  }
  l1_thr<2><<<1, 1024>>>(g, (int*)O, T, 2);
  printf("l1_ld64 cycles_per_warp_inst %.3f\n", get() / 1024.);
  l1_thr<4><<<1, 1024>>>(g, (int*)O, T, 4);
  printf("l1_ld128 cycles_per_warp_inst %.3f\n", get() / 1024.);
  u32* lat;
  CK(cudaMalloc(&lat, 1 << 20));
  CK(cudaMemset(lat, 0, 1 << 20));
  {
    int m = 2048;
    std::vector<int> z(m * 32, 0);
    int* q;
    CK(cudaMalloc(&q, m * 128));
    CK(cudaMemcpy(q, z.data(), m * 128, cudaMemcpyHostToDevice));
    lines2<<<1, 1>>>(q, m, 32, lat);
    pct("lines after_h2d", lat, m);
    lines2<<<1, 1>>>(q, m, 32, lat);
    pct("lines second", lat, m);
    lines2<<<1, 1>>>(q, m, 32, lat);
    pct("lines third", lat, m);
    fillk<<<132, 256>>>(g, (int)(gb / 4));
    lines2<<<1, 1>>>(q, m, 32, lat);
    pct("lines after_flush", lat, m);
    fillk<<<132, 256>>>(g, (int)(gb / 4));
    CK(cudaMemset(q, 0, m * 128));
    lines2<<<1, 1>>>(q, m, 32, lat);
    pct("lines after_memset", lat, m);
    fillk<<<132, 256>>>(g, (int)(gb / 4));
    fillk<<<8, 256>>>(q, m * 32);
    lines2<<<1, 1>>>(q, m, 32, lat);
    pct("lines after_kernel_write", lat, m);
    int* q2;
    CK(cudaMalloc(&q2, 16 << 20));
    std::vector<int> z2(4 << 20, 0);
    CK(cudaMemcpy(q2, z2.data(), 16 << 20, cudaMemcpyHostToDevice));
    lines2<<<1, 1>>>(q2, m, 2048, lat);
    pct("lines after_h2d_16MiB_stride8K", lat, m);
    lines2<<<1, 1>>>(q2, m, 2048, lat);
    pct("lines second_16MiB_stride8K", lat, m);
    lines2<<<1, 1>>>(g, 60, 524288, lat);
    pct("lines 2MiB_pages_first", lat, 60);
    lines2<<<1, 1>>>(g, 60, 524288, lat);
    pct("lines 2MiB_pages_second", lat, 60);
  }
  code<256><<<1, 32>>>((float*)O, 1.5f, 1.25f, T);
  get();
  printf("code 4KiB cold %.2f warm %.2f\n", h[0] / 256., h[2] / 256.);
  code<1024><<<1, 32>>>((float*)O, 1.5f, 1.25f, T);
  get();
  printf("code 16KiB cold %.2f warm %.2f\n", h[0] / 1024., h[2] / 1024.);
  code<4096><<<1, 32>>>((float*)O, 1.5f, 1.25f, T);
  get();
  printf("code 64KiB cold %.2f warm %.2f\n", h[0] / 4096., h[2] / 4096.);
  code<16384><<<1, 32>>>((float*)O, 1.5f, 1.25f, T);
  get();
  printf("code 256KiB cold %.2f warm %.2f\n", h[0] / 16384., h[2] / 16384.);
  code<1024><<<1, 32>>>((float*)O, 1.5f, 1.25f, T);
  get();
  printf("code 16KiB again cold %.2f warm %.2f\n", h[0] / 1024., h[2] / 1024.);
  code<1024><<<1, 32>>>((float*)O, 1.5f, 1.25f, T);
  get();
  printf("code 16KiB again2 cold %.2f warm %.2f\n", h[0] / 1024., h[2] / 1024.);
  const_chase<<<1, 32>>>((int*)O, T);
  printf("const_chase %.2f\n", get() / 32.);
  {
    std::vector<int> c(1024);
    for (int i = 0; i < 1024; i++) c[i] = i;
    CK(cudaMemcpyToSymbol(cst, c.data(), 4096));
    const_div<<<1, 32>>>((int*)O, T);
    printf("const_divergent32 %.2f\n", get() / 32.);
  }
  for (int w : {1, 2, 4, 8, 32}) {
    diverge<<<1, 32>>>((int*)O, T, w);
    printf("diverge ways %d cycles_per_round %.1f\n", w, get() / 16.);
  }
  local_chase<<<1, 32>>>((int*)O, T, 5);
  printf("local_chase %.2f\n", get() / 32.);
  return 0;
}
