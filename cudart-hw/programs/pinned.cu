// Pinned memory: mapped into the GPU, copied from asynchronously, recognised by its pointer.
#include "check.h"

__global__ void square(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * in[i];
}

int main() {
  const int n = 500;
  int *in, *out, *device_in, *device_out;
  CHECK(cudaHostAlloc(&in, n * 4, cudaHostAllocMapped));
  CHECK(cudaHostAlloc(&out, n * 4, cudaHostAllocMapped | cudaHostAllocPortable));
  CHECK(cudaHostGetDevicePointer(&device_in, in, 0));
  CHECK(cudaHostGetDevicePointer(&device_out, out, 0));
  for (int i = 0; i < n; ++i) in[i] = i;
  square<<<2, 256>>>(device_in, device_out, n);
  CHECK(cudaDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += out[i] != i * i;
  std::printf("%d wrong\n", wrong);
  cudaPointerAttributes a;
  CHECK(cudaPointerGetAttributes(&a, in));
  std::printf("pinned: type %d\n", a.type);
  int on_stack;
  CHECK(cudaPointerGetAttributes(&a, &on_stack));
  std::printf("own: type %d\n", a.type);
  int* device;
  CHECK(cudaMalloc(&device, n * 4));
  CHECK(cudaPointerGetAttributes(&a, device + 3));
  std::printf("device: type %d, device %d, same %d, host %d\n", a.type, a.device, a.devicePointer == device + 3,
              a.hostPointer == nullptr);
  CHECK(cudaMemcpyAsync(device, in, n * 4, cudaMemcpyDefault, 0));
  CHECK(cudaMemcpyAsync(out, device, n * 4, cudaMemcpyDefault, 0));
  CHECK(cudaStreamSynchronize(0));
  std::printf("%08x\n", checksum(out, n * 4));
  CHECK(cudaFreeHost(in));
  CHECK(cudaFreeHost(out));
}
