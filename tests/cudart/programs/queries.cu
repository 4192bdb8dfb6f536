// Polling instead of waiting.
#include "check.h"

__global__ void work(int* data, int rounds) {
  int x = data[threadIdx.x];
  for (int i = 0; i < rounds; ++i) x = x * 3 + 1;
  data[threadIdx.x] = x;
}

int main() {
  int *data, host[32];
  CHECK(cudaMalloc(&data, 128));
  CHECK(cudaMemset(data, 0, 128));
  cudaStream_t stream;
  cudaEvent_t event, never;
  CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -1));
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  CHECK(cudaEventCreate(&never));
  std::printf("never recorded: %s\n", cudaGetErrorName(cudaEventQuery(never)));
  CHECK(cudaDeviceSynchronize());
  work<<<1, 32, 0, stream>>>(data, 20000);
  CHECK(cudaEventRecord(event, stream));
  cudaError_t state;
  while ((state = cudaEventQuery(event)) == cudaErrorNotReady) {
  }
  std::printf("event: %s\n", cudaGetErrorName(state));
  work<<<1, 32, 0, stream>>>(data, 20000);
  while ((state = cudaStreamQuery(stream)) == cudaErrorNotReady) {
  }
  std::printf("stream: %s, last %s\n", cudaGetErrorName(state), cudaGetErrorName(cudaGetLastError()));
  CHECK(cudaMemcpy(host, data, 128, cudaMemcpyDeviceToHost));
  std::printf("%d\n", host[31]);
}
