// Functions of the device math library, to the digits that all implementations share.
#include <cmath>

#include "check.h"

__global__ void run(const float* in, float* out, double* wide) {
  const int i = threadIdx.x;
  const float x = in[i];
  const double d = x;
  float r[] = {sinf(x),
               cosf(x),
               tanf(x),
               expf(x * 0.1f),
               logf(fabsf(x) + 1),
               powf(fabsf(x), 1.25f),
               sqrtf(fabsf(x)),
               cbrtf(x),
               atanf(x),
               atan2f(x, 2.5f),
               sinhf(x * 0.1f),
               tanhf(x),
               erff(x),
               exp2f(x * 0.2f),
               log2f(fabsf(x) + 0.5f),
               hypotf(x, 3.0f),
               rsqrtf(fabsf(x) + 1),
               fmodf(x, 1.7f),
               remainderf(x, 1.7f),
               lgammaf(fabsf(x) + 1)};
  double w[] = {sin(d),  cos(d),  exp(d * 0.1), log(fabs(d) + 1), pow(fabs(d), 1.25),
                atan(d), cbrt(d), tanh(d),      erf(d),           tgamma(fabs(d) * 0.1 + 1)};
  for (int k = 0; k < 20; ++k) out[k * 32 + i] = r[k];
  for (int k = 0; k < 10; ++k) wide[k * 32 + i] = w[k];
}

int main() {
  float in[32], *din, *out, host[640];
  double *wide, whost[320];
  for (int i = 0; i < 32; ++i) in[i] = (i - 15) * 0.731f;
  CHECK(cudaMalloc(&din, sizeof(in)));
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMalloc(&wide, sizeof(whost)));
  CHECK(cudaMemcpy(din, in, sizeof(in), cudaMemcpyHostToDevice));
  run<<<1, 32>>>(din, out, wide);
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(whost, wide, sizeof(whost), cudaMemcpyDeviceToHost));
  for (int k = 0; k < 20; ++k) std::printf("%.4e %.4e %.4e\n", host[k * 32 + 2], host[k * 32 + 16], host[k * 32 + 30]);
  for (int k = 0; k < 10; ++k) std::printf("%.12e %.12e\n", whost[k * 32 + 3], whost[k * 32 + 29]);
}
