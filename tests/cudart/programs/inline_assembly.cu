// PTX written by hand inside CUDA.
#include "check.h"

__device__ unsigned lane() {
  unsigned id;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(id));
  return id;
}
__device__ unsigned long long add_wide(unsigned long long a, unsigned long long b, unsigned& carry) {
  unsigned long long sum;
  asm("{\n\tadd.cc.u64 %0, %2, %3;\n\taddc.u32 %1, 0, 0;\n\t}" : "=l"(sum), "=r"(carry) : "l"(a), "l"(b));
  return sum;
}

__global__ void run(unsigned* out, const float* in) {
  const unsigned i = lane();
  unsigned carry, bits, found;
  const unsigned long long sum = add_wide(~0ull - i, 20ull, carry);
  asm("bfe.u32 %0, %1, 4, 9;" : "=r"(bits) : "r"(i * 1234567u));
  asm("bfind.u32 %0, %1;" : "=r"(found) : "r"(i + 1));
  float value;
  asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(value) : "l"(in + i));
  int selected;
  asm("{\n\t.reg .pred p;\n\tsetp.gt.f32 p, %1, 0f41200000;\n\tselp.s32 %0, 1, -1, p;\n\t}"
      : "=r"(selected)
      : "f"(value));
  asm volatile("membar.gl;");
  out[i] = (unsigned)sum + carry * 1000 + bits * 7 + found + (unsigned)selected;
}

int main() {
  unsigned *out, host[32];
  float in[32], *din;
  for (int i = 0; i < 32; ++i) in[i] = (float)i;
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMalloc(&din, sizeof(in)));
  CHECK(cudaMemcpy(din, in, sizeof(in), cudaMemcpyHostToDevice));
  run<<<1, 32>>>(out, din);
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  std::printf("%u %u %u %08x\n", host[0], host[19], host[31], checksum(host, sizeof(host)));
}
