// Half precision: conversions, arithmetic in ones and twos, comparisons, bfloat16.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

__global__ void run(const float* in, unsigned short* out, float* floats) {
  const int i = threadIdx.x;
  const __half a = __float2half(in[i]);
  const __half b = __float2half(in[(i + 1) % 32]);
  out[i] = __half_as_ushort(__hadd(a, b));
  out[32 + i] = __half_as_ushort(__hmul(a, b));
  out[64 + i] = __half_as_ushort(__hfma(a, b, a));
  const __half2 two = __halves2half2(a, b);
  const __half2 result = __hadd2_rn(__hmul2_rn(two, two), __float2half2_rn(0.5f));
  out[96 + i] = __half_as_ushort(__low2half(result));
  out[128 + i] = __half_as_ushort(__high2half(result));
  out[160 + i] = (unsigned short)(__hgt(a, b) + 2 * __heq(a, a) + 4 * __hle(a, b) + 8 * __hisnan(a));
  floats[i] = __half2float(__hsub(a, b));
  const __nv_bfloat16 c = __float2bfloat16(in[i]);
  out[192 + i] = __bfloat16_as_ushort(c);
  floats[32 + i] = __bfloat162float(c) * 2.0f;
  out[224 + i] = __half_as_ushort(__int2half_rn(i * 1000));
  floats[64 + i] = (float)__half2int_rn(__float2half(in[i] * 10.0f));
}

int main() {
  float in[32], *din, *floats, fhost[96];
  unsigned short *out, host[256];
  for (int i = 0; i < 32; ++i) in[i] = (i - 13) * 0.37f;
  in[30] = 70000.0f;
  in[31] = 1e-6f;
  CHECK(cudaMalloc(&din, sizeof(in)));
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMalloc(&floats, sizeof(fhost)));
  CHECK(cudaMemcpy(din, in, sizeof(in), cudaMemcpyHostToDevice));
  run<<<1, 32>>>(din, out, floats);
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(fhost, floats, sizeof(fhost), cudaMemcpyDeviceToHost));
  for (int row = 0; row < 8; ++row)
    std::printf("%04x %04x %04x | %08x\n", host[row * 32], host[row * 32 + 20], host[row * 32 + 31],
                checksum(host + row * 32, 64));
  std::printf("%.6f %.6f %.1f\n", fhost[3], fhost[40], fhost[70]);
}
