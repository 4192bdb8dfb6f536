// Double precision: correctly rounded operations, conversions, special values.
#include <cmath>

#include "check.h"

__global__ void run(const double* in, double* out, long long* integers) {
  const int i = threadIdx.x;
  const double x = in[i], y = in[(i + 7) % 64];
  out[i] = x + y;
  out[64 + i] = x * y;
  out[128 + i] = x / y;
  out[192 + i] = fma(x, y, -x);
  out[256 + i] = sqrt(fabs(x));
  out[320 + i] = fmin(x, y) + fmax(x, y) + floor(x) + ceil(y) + trunc(x) + rint(y);
  out[384 + i] = __dadd_ru(x, y) - __dadd_rd(x, y);
  out[448 + i] = copysign(x, y) + fmod(x, 3.0) + ldexp(y, 3);
  integers[i] = __double2ll_rn(x * 1000.0) + (long long)isnan(x / 0.0 - x / 0.0) + llrint(y);
  integers[64 + i] = __double_as_longlong((double)(float)x);
}

int main() {
  double in[64], *din, *out, host[512];
  long long *integers, ihost[128];
  for (int i = 0; i < 64; ++i) in[i] = std::ldexp((i * 2654435761u % 1000003) - 500000.0, i % 9 - 12);
  CHECK(cudaMalloc(&din, sizeof(in)));
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMalloc(&integers, sizeof(ihost)));
  CHECK(cudaMemcpy(din, in, sizeof(in), cudaMemcpyHostToDevice));
  run<<<1, 64>>>(din, out, integers);
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(ihost, integers, sizeof(ihost), cudaMemcpyDeviceToHost));
  for (int row = 0; row < 8; ++row)
    std::printf("%.17g %.17g | %08x\n", host[row * 64], host[row * 64 + 33], checksum(host + row * 64, 512));
  std::printf("%lld %llx | %08x\n", ihost[3], ihost[80], checksum(ihost, sizeof(ihost)));
}
