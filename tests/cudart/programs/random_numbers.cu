// Random numbers by the generators of curand_kernel.h.
#include <curand_kernel.h>

#include "check.h"

__global__ void xorwow(unsigned* out, float* uniform) {
  curandState state;
  curand_init(1234, threadIdx.x, 0, &state);
  for (int k = 0; k < 4; ++k) out[k * 32 + threadIdx.x] = curand(&state);
  uniform[threadIdx.x] = curand_uniform(&state);
}
__global__ void philox(unsigned* out) {
  curandStatePhilox4_32_10_t state;
  curand_init(99, threadIdx.x, 5, &state);
  const uint4 r = curand4(&state);
  out[threadIdx.x] = r.x ^ r.y ^ r.z ^ r.w;
}

int main() {
  unsigned *out, host[128];
  float *uniform, floats[32];
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMalloc(&uniform, sizeof(floats)));
  xorwow<<<1, 32>>>(out, uniform);
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(floats, uniform, sizeof(floats), cudaMemcpyDeviceToHost));
  std::printf("%u %u %08x %.6f\n", host[0], host[127], checksum(host, sizeof(host)), floats[3]);
  philox<<<1, 32>>>(out);
  CHECK(cudaMemcpy(host, out, 128, cudaMemcpyDeviceToHost));
  std::printf("%u %u %08x\n", host[0], host[31], checksum(host, 128));
}
