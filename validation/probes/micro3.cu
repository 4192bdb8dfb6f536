// Self-timed microbenchmarks of what a kernel pays once: parameters, special registers, the first load; and chains that
// a compiler cannot simplify. Prints "name value".
// clang-format off
#include <algorithm>
#include <cstdio>
#include <vector>
typedef unsigned u32;
typedef unsigned long long u64;
__device__ __forceinline__ u32 clock_now() {
  u32 c;
  asm volatile("mov.u32 %0,%%clock;" : "=r"(c)::"memory");
  return c;
}
/// Waits for the value, then reads the clock.
__device__ __forceinline__ u32 clock_after(u32 value) {
  u32 c;
  asm volatile("{.reg .pred p; setp.eq.u32 p,%1,0x7fffffff; @p trap; mov.u32 %0,%%clock;}"
               : "=r"(c)
               : "r"(value)
               : "memory");
  return c;
}
struct Large {
  u32 words[256];
};
__global__ void parameters(u32* out, const Large large) {
  const u32 a = clock_now();
  const u32 b = clock_after(large.words[0]);
  const u32 c = clock_after(large.words[1]);
  const u32 d = clock_after(large.words[100]);
  const u32 e = clock_after(large.words[200]);
  const u32 f = clock_after(large.words[201]);
  if (threadIdx.x == 0) {
    out[0] = b - a;
    out[1] = c - b;
    out[2] = d - c;
    out[3] = e - d;
    out[4] = f - e;
  }
}
__global__ void special(u32* out) {
  u32 v;
  const u32 a = clock_now();
  asm volatile("mov.u32 %0,%%tid.x;" : "=r"(v));
  const u32 b = clock_after(v);
  asm volatile("mov.u32 %0,%%ctaid.x;" : "=r"(v));
  const u32 c = clock_after(v);
  asm volatile("mov.u32 %0,%%laneid;" : "=r"(v));
  const u32 d = clock_after(v);
  const u32 e = clock_after(d);
  if (threadIdx.x == 0) {
    out[0] = b - a;
    out[1] = c - b;
    out[2] = d - c;
    out[3] = e - d;
  }
}
__global__ void store_end(u32* out, u32* data) {
  const u32 a = clock_now();
  data[blockIdx.x * blockDim.x + threadIdx.x] = a;
  __threadfence();
  const u32 b = clock_now();
  if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = b - a;
}
#define CHAIN(name, init, text)                                                                     \
  __global__ void chain_##name(u32* out, u32 x, u32 y) {                                            \
    u32 z = init;                                                                                   \
    for (int r = 0; r < 3; r++) {                                                                   \
      const u32 a = clock_after(z);                                                                 \
      _Pragma("unroll") for (int i = 0; i < 32; i++) asm volatile(text : "+r"(z) : "r"(x), "r"(y)); \
      const u32 b = clock_after(z);                                                                 \
      out[0] = b - a;                                                                               \
    }                                                                                               \
    out[1] = z;                                                                                     \
  }
CHAIN(add, x, "add.u32 %0,%0,%1; xor.b32 %0,%0,%2;")
CHAIN(min, x, "min.u32 %0,%0,%1; xor.b32 %0,%0,%2;")
CHAIN(popc, x, "popc.b32 %0,%0; xor.b32 %0,%0,%2;")
CHAIN(clz, x, "clz.b32 %0,%0; xor.b32 %0,%0,%2;")
CHAIN(setp_selp, x, "{.reg .pred p; setp.lt.u32 p,%0,%1; selp.u32 %0,%2,%0,p; xor.b32 %0,%0,%2;}")
CHAIN(div_s32, x, "div.s32 %0,%0,%1; xor.b32 %0,%0,%2;")
CHAIN(rem_s32, x, "rem.s32 %0,%0,%1; xor.b32 %0,%0,%2;")
CHAIN(cvt_s32_f32, x, "{.reg .f32 f; mov.b32 f,%0; cvt.rzi.s32.f32 %0,f; xor.b32 %0,%0,%2;}")
CHAIN(cvt_f32_s32, x, "{.reg .f32 f; cvt.rn.f32.s32 f,%0; mov.b32 %0,f; xor.b32 %0,%0,%2;}")
CHAIN(cvt_f64_s32, x, "{.reg .f64 d; .reg .u32 a,b; cvt.rn.f64.s32 d,%0; mov.b64 {a,b},d; xor.b32 %0,b,%2;}")
CHAIN(div_full, x, "{.reg .f32 f,g; mov.b32 f,%0; mov.b32 g,%1; div.full.f32 f,g,f; mov.b32 %0,f;}")
CHAIN(div_approx, x, "{.reg .f32 f,g; mov.b32 f,%0; mov.b32 g,%1; div.approx.f32 f,g,f; mov.b32 %0,f;}")
CHAIN(div_rn, x, "{.reg .f32 f,g; mov.b32 f,%0; mov.b32 g,%1; div.rn.f32 f,g,f; mov.b32 %0,f;}")
CHAIN(branch_not_taken, x, "{.reg .pred p; setp.eq.u32 p,%0,0x7ffffff1; @p bra T; xor.b32 %0,%0,%2; T:}")
CHAIN(branch_uniform, x, "{.reg .pred p; setp.ne.u32 p,%0,0x7ffffff1; @p bra T; trap; T: xor.b32 %0,%0,%2;}")
template <typename F>
void run(const char* name, int values, u32* out, F launch) {
  std::vector<std::vector<u32>> all(values);
  for (int r = 0; r < 9; r++) {
    launch();
    std::vector<u32> got(values);
    cudaMemcpy(got.data(), out, values * 4, cudaMemcpyDeviceToHost);
    for (int v = 0; v < values; v++) all[v].push_back(got[v]);
  }
  printf("%s", name);
  for (auto& v : all) {
    const u32 first = v[0];
    std::sort(v.begin(), v.end());
    printf(" first %u median %u", first, v[v.size() / 2]);
  }
  printf("\n");
}
int main() {
  u32 *out, *data;
  cudaMalloc(&out, 64);
  cudaMalloc(&data, 1 << 22);
  Large large{};
  for (u32 i = 0; i < 256; i++) large.words[i] = i;
  run("parameters", 5, out, [&] { parameters<<<1, 32>>>(out, large); });
  run("special", 4, out, [&] { special<<<1, 32>>>(out); });
  run("store_end_1_block", 1, out, [&] { store_end<<<1, 32>>>(out, data); });
  run("store_end_132_blocks", 1, out, [&] { store_end<<<132, 1024>>>(out, data); });
#define RUN(name) run("chain_" #name, 1, out, [&] { chain_##name<<<1, 32>>>(out, 0x3f812345, 0x00345678); });
  RUN(add)
  RUN(min)
  RUN(popc) RUN(clz) RUN(setp_selp) RUN(div_s32) RUN(rem_s32) RUN(cvt_s32_f32) RUN(cvt_f32_s32) RUN(cvt_f64_s32)
      RUN(div_full) RUN(div_approx) RUN(div_rn) RUN(branch_not_taken) RUN(branch_uniform)
          printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
