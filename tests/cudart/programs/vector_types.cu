// Vector types, packed structures, unions, bit fields, wide loads.
#include "check.h"

struct __attribute__((packed)) Packed {
  char tag;
  int value;
  short rest;
};
union Pun {
  float f;
  unsigned u;
  unsigned char b[4];
};
struct Bits {
  unsigned a : 5, b : 11, c : 16;
};

__device__ int read_packed(const char* at) {
  int value = 0;
  for (int k = 3; k >= 0; --k) value = value << 8 | (unsigned char)at[k];
  return value;
}

__global__ void run(const uint4* in, int4* out, const Packed* packed, double2* doubles, uchar4* bytes) {
  const int i = threadIdx.x;
  const uint4 v = in[i];
  Pun pun;
  pun.f = 1.0f + i;
  Bits bits;
  bits.a = i;
  bits.b = i * 37;
  bits.c = v.x;
  out[i] = make_int4((int)(v.x ^ v.w), pun.b[2] + pun.b[3] * 256, bits.a + bits.b * 32 + bits.c,
                     read_packed((const char*)&packed[i] + 1) + packed[i].tag);
  doubles[i] = make_double2(v.y * 0.5, (double)(long long)((unsigned long long)v.z << 20));
  bytes[i] = make_uchar4(v.x, v.y >> 8, v.z >> 16, v.w >> 24);
}

int main() {
  uint4 in[32], *din;
  int4 out[32], *dout;
  Packed packed[32], *dpacked;
  double2 doubles[32], *ddoubles;
  uchar4 bytes[32], *dbytes;
  unsigned seed = 3;
  for (int i = 0; i < 32; ++i) {
    unsigned r[4];
    for (unsigned& x : r) x = seed = seed * 1664525u + 1013904223u;
    in[i] = make_uint4(r[0], r[1], r[2], r[3]);
    packed[i] = {(char)i, i * 1000003, (short)-i};
  }
  CHECK(cudaMalloc(&din, sizeof(in)));
  CHECK(cudaMalloc(&dout, sizeof(out)));
  CHECK(cudaMalloc(&dpacked, sizeof(packed)));
  CHECK(cudaMalloc(&ddoubles, sizeof(doubles)));
  CHECK(cudaMalloc(&dbytes, sizeof(bytes)));
  CHECK(cudaMemcpy(din, in, sizeof(in), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dpacked, packed, sizeof(packed), cudaMemcpyHostToDevice));
  run<<<1, 32>>>(din, dout, dpacked, ddoubles, dbytes);
  CHECK(cudaMemcpy(out, dout, sizeof(out), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(doubles, ddoubles, sizeof(doubles), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(bytes, dbytes, sizeof(bytes), cudaMemcpyDeviceToHost));
  std::printf("%d %d %d %d %08x\n", out[7].x, out[7].y, out[7].z, out[7].w, checksum(out, sizeof(out)));
  std::printf("%.1f %.1f %08x %08x\n", doubles[9].x, doubles[9].y, checksum(doubles, sizeof(doubles)),
              checksum(bytes, sizeof(bytes)));
}
