// Dynamic shared memory: several arrays in one, more than 48 KiB after asking, too much is an error.
#include "check.h"

extern __shared__ char raw[];

__global__ void reverse(int* data) {
  int* values = reinterpret_cast<int*>(raw);
  short* flags = reinterpret_cast<short*>(raw + blockDim.x * sizeof(int));
  const int i = threadIdx.x;
  values[i] = data[blockIdx.x * blockDim.x + i];
  flags[i] = (short)(values[i] & 1);
  __syncthreads();
  const int j = blockDim.x - 1 - i;
  data[blockIdx.x * blockDim.x + i] = values[j] * 2 + flags[j];
}

__global__ void large(int* out, int words) {
  int* values = reinterpret_cast<int*>(raw);
  for (int i = threadIdx.x; i < words; i += blockDim.x) values[i] = i;
  __syncthreads();
  int sum = 0;
  for (int i = threadIdx.x; i < words; i += blockDim.x) sum += values[words - 1 - i];
  atomicAdd(out, sum);
}

int main() {
  int* data;
  CHECK(cudaMalloc(&data, 512 * 4));
  int host[512];
  for (int i = 0; i < 512; ++i) host[i] = i * 5;
  CHECK(cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice));
  reverse<<<4, 128, 128 * 6>>>(data);
  CHECK(cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost));
  std::printf("%d %d %d %08x\n", host[0], host[127], host[511], checksum(host, sizeof(host)));

  const int bytes = 96 * 1024;
  large<<<1, 256, bytes>>>(data, bytes / 4);
  std::printf("without asking: %s\n", cudaGetErrorName(cudaGetLastError()));
  CHECK(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  CHECK(cudaMemset(data, 0, 4));
  large<<<1, 256, bytes>>>(data, bytes / 4);
  CHECK(cudaMemcpy(host, data, 4, cudaMemcpyDeviceToHost));
  std::printf("sum %d\n", host[0]);
  std::printf("too much: %s\n",
              cudaGetErrorName(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20)));
}
