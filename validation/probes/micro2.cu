
#include <algorithm>
#include <cstdio>
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
template <int W>
__device__ __forceinline__ int lds(u32 a) {
  int x, y = 0, z = 0, w = 0;
  if (W == 1)
    asm volatile("ld.shared.b32 %0,[%1];" : "=r"(x) : "r"(a));
  else if (W == 2)
    asm volatile("ld.shared.v2.b32 {%0,%1},[%2];" : "=r"(x), "=r"(y) : "r"(a));
  else
    asm volatile("ld.shared.v4.b32 {%0,%1,%2,%3},[%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(a));
  return x ^ y ^ z ^ w;
}
template <int W>
__device__ __forceinline__ int ldg(const int* a) {
  int x, y = 0, z = 0, w = 0;
  if (W == 1)
    asm volatile("ld.global.ca.b32 %0,[%1];" : "=r"(x) : "l"(a));
  else if (W == 2)
    asm volatile("ld.global.ca.v2.b32 {%0,%1},[%2];" : "=r"(x), "=r"(y) : "l"(a));
  else
    asm volatile("ld.global.ca.v4.b32 {%0,%1,%2,%3},[%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(a));
  return x ^ y ^ z ^ w;
}
template <int W>
__global__ void sh_thr(int* out, s64* t, int stride, int step) {
  extern __shared__ int dyn[];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) dyn[i] = i;
  __syncthreads();
  u32 addr = (u32)__cvta_generic_to_shared(dyn) + ((threadIdx.x % 32 * stride * 4 * W) & 16383);
  int acc = 0;
  _Pragma("unroll 1") for (int r = 0; r < 2; r++) {
    __syncthreads();
    s64 s = clock64();
    _Pragma("unroll 1") for (int k = 0; k < 8; k++) {
      _Pragma("unroll") for (int i = 0; i < 8; i++) acc ^= lds<W>(addr + i * 2048);
      addr += step;
    }
    __syncthreads();
    s64 e = clock64();
    if (!threadIdx.x) t[0] = e - s;
  }
  out[threadIdx.x] = acc;
}
__global__ void sh_st(int* out, s64* t, int stride, int step) {
  extern __shared__ int dyn[];
  u32 addr = (u32)__cvta_generic_to_shared(dyn) + ((threadIdx.x % 32 * stride * 4) & 16383);
  int v = threadIdx.x;
  _Pragma("unroll 1") for (int r = 0; r < 2; r++) {
    __syncthreads();
    s64 s = clock64();
    _Pragma("unroll 1") for (int k = 0; k < 8; k++) {
      _Pragma("unroll") for (int i = 0; i < 8;
                             i++) asm volatile("st.shared.b32 [%0],%1;" ::"r"(addr + i * 2048), "r"(v) : "memory");
      addr += step;
      v += step;
    }
    __syncthreads();
    s64 e = clock64();
    if (!threadIdx.x) t[0] = e - s;
  }
  out[threadIdx.x] = dyn[threadIdx.x];
}
template <int W>
__global__ void l1_thr(const int* g, int* out, s64* t, int stride, int step) {
  const int* p = g + threadIdx.x % 32 * stride;
  int acc = 0;
  _Pragma("unroll 1") for (int r = 0; r < 3; r++) {
    __syncthreads();
    s64 s = clock64();
    _Pragma("unroll 1") for (int k = 0; k < 8; k++) {
      _Pragma("unroll") for (int i = 0; i < 8; i++) acc ^= ldg<W>(p + i * 1024);
      p += step;
    }
    __syncthreads();
    s64 e = clock64();
    if (!threadIdx.x) t[0] = e - s;
  }
  out[threadIdx.x] = acc;
}
__global__ void shfl_k(int* out, s64* t, int d) {
  int x = threadIdx.x, y = x + 1;
  _Pragma("unroll 1") for (int r = 0; r < 3; r++) {
    __syncthreads();
    s64 s = clock64();
    _Pragma("unroll") for (int i = 0; i < 32; i++) x = __shfl_sync(~0u, x, (x + d) & 31);
    s64 e = clock64();
    if (!threadIdx.x) t[0] = e - s;
    __syncthreads();
    s = clock64();
    _Pragma("unroll") for (int i = 0; i < 32; i++) {
      x ^= __shfl_xor_sync(~0u, x, 1);
      y += __shfl_down_sync(~0u, y, 2);
    }
    __syncthreads();
    e = clock64();
    if (!threadIdx.x) t[1] = e - s;
  }
  out[threadIdx.x] = x + y;
}
__global__ void addchain(int* out, s64* t, int a, int b) {
  int x = a, y = b;
  _Pragma("unroll 1") for (int r = 0; r < 3; r++) {
    s64 s = clock64();
    _Pragma("unroll") for (int i = 0; i < 16; i++) {
      asm volatile("add.u32 %0,%0,%1;" : "+r"(x) : "r"(y));
      asm volatile("xor.b32 %0,%0,%1;" : "+r"(x) : "r"(a));
    }
    s64 e = clock64();
    if (!threadIdx.x) t[0] = e - s;
  }
  out[threadIdx.x] = x;
}
// barrier with work in every round: shared reduction pattern
__global__ void bar_pattern(int* out, s64* t, int step) {
  __shared__ int a[1024];
  int x = threadIdx.x;
  a[x] = x;
  _Pragma("unroll 1") for (int r = 0; r < 3; r++) {
    __syncthreads();
    s64 s = clock64();
    _Pragma("unroll 1") for (int i = 0; i < 16; i++) {
      int v = a[(x + step) & (blockDim.x - 1)];
      __syncthreads();
      a[x] = v + 1;
      __syncthreads();
    }
    s64 e = clock64();
    if (!threadIdx.x) t[0] = e - s;
  }
  out[x] = a[x];
}
// loop of a taken branch: cost of one iteration
__global__ void branch_k(int* out, s64* t, int n) {
  int x = threadIdx.x;
  _Pragma("unroll 1") for (int r = 0; r < 3; r++) {
    s64 s = clock64();
    _Pragma("unroll 1") for (int i = 0; i < n; i++) asm volatile("mad.lo.u32 %0,%0,3,1;" : "+r"(x));
    s64 e = clock64();
    if (!threadIdx.x) t[0] = e - s;
  }
  out[threadIdx.x] = x;
}
__global__ void call_div(int* out, s64* t, int n) {
  int x = threadIdx.x;
  _Pragma("unroll 1") for (int r = 0; r < 3; r++) {
    s64 s = clock64();
    _Pragma("unroll 1") for (int i = 0; i < n; i++) {
      if ((x >> (i & 15)) & 1)
        x = x * 3 + 1;
      else
        x = x * 5 + 2;
    }
    s64 e = clock64();
    if (!threadIdx.x) t[0] = e - s;
  }
  out[threadIdx.x] = x;
}
__global__ void empty() {}
__global__ void spin(long long n) {
  long long s = clock64();
  while (clock64() - s < n)
    ;
}
static s64* T;
static void* O;
static s64 h[8];
static s64 get(int i = 0) {
  CK(cudaDeviceSynchronize());
  CK(cudaMemcpy(h, T, 64, cudaMemcpyDeviceToHost));
  return h[i];
}
int main(int c, char** v) {
  bool sim = c > 1;
  CK(cudaMalloc(&T, 64));
  CK(cudaMalloc(&O, 1 << 20));
  CK(cudaMemset(O, 0, 1 << 20));
  int* g;
  CK(cudaMalloc(&g, 1 << 20));
  CK(cudaMemset(g, 0, 1 << 20));
  for (int s : {0, 1, 2, 4, 8, 16, 32}) {
    sh_thr<1><<<1, 1024, 32768>>>((int*)O, T, s, 0);
    printf("shared_ld32 stride %d cycles_per_warp_inst %.3f\n", s, get() / 2048.);
  }
  for (int s : {0, 1}) {
    sh_thr<2><<<1, 1024, 32768>>>((int*)O, T, s, 0);
    printf("shared_ld64 stride %d cycles_per_warp_inst %.3f\n", s, get() / 2048.);
    sh_thr<4><<<1, 1024, 32768>>>((int*)O, T, s, 0);
    printf("shared_ld128 stride %d cycles_per_warp_inst %.3f\n", s, get() / 2048.);
  }
  for (int s : {1, 2, 32}) {
    sh_st<<<1, 1024, 32768>>>((int*)O, T, s, 0);
    printf("shared_st32 stride %d cycles_per_warp_inst %.3f\n", s, get() / 2048.);
  }
  for (int s : {0, 1, 2, 4, 8, 16, 32}) {
    l1_thr<1><<<1, 1024>>>(g, (int*)O, T, s, 0);
    printf("l1_ld32 stride %d cycles_per_warp_inst %.3f\n", s, get() / 2048.);
  }
  l1_thr<2><<<1, 1024>>>(g, (int*)O, T, 2, 0);
  printf("l1_ld64 cycles_per_warp_inst %.3f\n", get() / 2048.);
  l1_thr<4><<<1, 1024>>>(g, (int*)O, T, 4, 0);
  printf("l1_ld128 cycles_per_warp_inst %.3f\n", get() / 2048.);
  shfl_k<<<1, 32>>>((int*)O, T, 1);
  printf("shfl_and_2int latency %.2f\n", get() / 32.);
  shfl_k<<<1, 1024>>>((int*)O, T, 1);
  printf("shfl cycles_per_warp_inst %.3f\n", get(1) / 2048.);
  addchain<<<1, 32>>>((int*)O, T, 3, 5);
  printf("add_xor latency %.2f\n", get() / 32.);
  for (int th : {32, 128, 256, 512, 1024}) {
    bar_pattern<<<1, th>>>((int*)O, T, 1);
    printf("bar_pattern threads %d per_round %.1f\n", th, get() / 16.);
  }
  branch_k<<<1, 32>>>((int*)O, T, 64);
  printf("loop_iteration 1 warp %.2f\n", get() / 64.);
  call_div<<<1, 32>>>((int*)O, T, 64);
  printf("divergent_ifelse_iteration 1 warp %.2f\n", get() / 64.);
  if (!sim) {
    cudaStream_t st;
    cudaStreamCreate(&st);
    cudaEvent_t a, b;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    for (int k = 0; k < 6; k++) {
      cudaGraph_t gr;
      cudaGraphExec_t ge;
      cudaStreamBeginCapture(st, cudaStreamCaptureModeGlobal);
      int n = 200;
      for (int i = 0; i < n; i++) {
        if (k == 0) empty<<<1, 32, 0, st>>>();
        if (k == 1) empty<<<132, 256, 0, st>>>();
        if (k == 2) empty<<<1056, 256, 0, st>>>();
        if (k == 3) spin<<<1, 256, 0, st>>>(20000);
        if (k == 4) spin<<<132, 256, 0, st>>>(20000);
        if (k == 5) spin<<<1056, 256, 0, st>>>(20000);
      }
      cudaStreamEndCapture(st, &gr);
      CK(cudaGraphInstantiate(&ge, gr, 0));
      for (int r = 0; r < 3; r++) {
        cudaEventRecord(a, st);
        cudaGraphLaunch(ge, st);
        cudaEventRecord(b, st);
        CK(cudaEventSynchronize(b));
        float ms;
        cudaEventElapsedTime(&ms, a, b);
        if (r == 2)
          printf("graph kind %d per kernel %.1f ns = %.0f cycles at 1980\n", k, ms * 1e6 / n, ms * 1e3 / n * 1980);
      }
    }
    for (int bl : {32, 256, 1024})
      for (int r = 0; r < 2; r++) {
        int G = 1 << 20;
        cudaEventRecord(a, st);
        empty<<<G, bl, 0, st>>>();
        cudaEventRecord(b, st);
        CK(cudaEventSynchronize(b));
        float ms;
        cudaEventElapsedTime(&ms, a, b);
        if (r) printf("dispatch block %d: %.3f cycles per block\n", bl, ms * 1e3 * 1980 / G);
      }
  }
  return 0;
}
