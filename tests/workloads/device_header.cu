// One kernel per part of the device header, for device_header_test.cpp.
#include "heddle_cuda.h"

// out[f * n + i] = f-th function of in[i]
extern "C" __global__ void float_math(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  const float results[12] = {expf(x),  logf(x),  powf(x, 1.5f), sinf(x),   cosf(x),   tanf(x),
                             tanhf(x), sqrtf(x), __expf(x),     __logf(x), rsqrtf(x), fmodf(x, 0.75f)};
  for (int f = 0; f < 12; ++f) out[f * n + i] = results[f];
}

extern "C" __global__ void double_math(const double* in, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double x = in[i];
  const double results[6] = {exp(x), log(x), pow(x, 2.5), sin(x), cos(x), sqrt(x)};
  for (int f = 0; f < 6; ++f) out[f * n + i] = results[f];
}

// One warp: out[op * 32 + lane].
extern "C" __global__ void warp_operations(unsigned long long* out) {
  const int lane = threadIdx.x;
  const unsigned all = 0xffffffffu;
  const unsigned long long wide = 0x100000000ull * lane + lane + 1;
  out[0 * 32 + lane] = __shfl_sync(all, lane * 3, 5);
  out[1 * 32 + lane] = __shfl_up_sync(all, lane, 2, 8);
  out[2 * 32 + lane] = __shfl_down_sync(all, wide, 3);
  out[3 * 32 + lane] = (unsigned)__shfl_xor_sync(all, (float)lane, 7);
  out[4 * 32 + lane] = __ballot_sync(all, lane % 3 == 0);
  out[5 * 32 + lane] = __any_sync(all, lane == 9) * 2 + __all_sync(all, lane == 9);
  out[6 * 32 + lane] = __match_any_sync(all, lane / 4);
  out[7 * 32 + lane] = __popc(lane) + 100 * __clz(lane) + 10000 * __ffs(lane);
  out[8 * 32 + lane] = __brev(lane);
  out[9 * 32 + lane] = __byte_perm(0x33221100u + lane, 0x77665544u, 0x7410);
  out[10 * 32 + lane] = __syncthreads_count(lane < 5) + 100 * (__syncthreads_or(lane == 3) != 0);
  out[11 * 32 + lane] = (unsigned long long)__shfl_xor_sync(all, (double)lane + 0.5, 1);
}

extern "C" __global__ void atomics(int* i, unsigned* u, unsigned long long* l, float* f, double* d) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&i[0], t);
  atomicSub(&i[1], 2);
  atomicMin(&i[2], -t);
  atomicMax(&i[3], t);
  atomicAnd(&i[4], ~(1 << t % 31));
  atomicOr(&i[5], 1 << t % 20);
  atomicXor(&i[6], t);
  atomicAdd(&u[0], 3u);
  atomicInc(&u[1], 9u);
  atomicDec(&u[2], 9u);
  atomicMin(&u[3], 4000000000u - t);
  atomicMax(&u[4], 4000000000u + t);
  atomicExch(&u[5], 77u);
  atomicAdd(&l[0], 0x100000000ull);
  atomicMax(&l[1], 0x8000000000000000ull + t);
  // A sum through compare-and-swap.
  unsigned long long seen = l[2], assumed;
  do {
    assumed = seen;
    seen = atomicCAS(&l[2], assumed, assumed + 5);
  } while (seen != assumed);
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
}

// One block of 64: after each barrier every thread must see what thread 0 wrote before it. out[round * 64 + thread].
extern "C" __global__ void shared_across_barriers(const int* in, int* out) {
  __shared__ int current, next;
  if (threadIdx.x == 0) current = next = 0;
  __syncthreads();
  for (int round = 0; round < 3; ++round) {
    if (threadIdx.x == 63) next = in[current];
    __syncthreads();
    if (threadIdx.x == 0) current = next;
    __syncthreads();
    out[round * 64 + threadIdx.x] = current;
    if (__syncthreads_or(current == 0)) break;
  }
}

// in: x, y, z. A product and a sum that are rounded separately, whatever the compiler contracts elsewhere.
extern "C" __global__ void rounded_twice(const float* in, float* out) {
  const float x = in[0], y = in[1], z = in[2];
  out[0] = __fadd_rn(x * y, z);
  out[1] = __fmul_rn(x, y) + z;
  out[2] = __fsub_rn(x * y, z);
  out[3] = (float)__dadd_rn((double)x * y, (double)z);
}
