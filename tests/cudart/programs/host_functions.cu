// Host functions in streams: in order with kernels and copies.
#include "check.h"

__global__ void add(int* data, int by) { *data += by; }

int log_entries[8], entries = 0;
int* host;
void CUDART_CB note(void* data) { log_entries[entries++] = *host * 10 + (int)(size_t)data; }
void CUDART_CB callback(cudaStream_t, cudaError_t status, void* data) {
  log_entries[entries++] = 1000 + (int)(size_t)data + (status == cudaSuccess ? 0 : 5000);
}

int main() {
  int* data;
  CHECK(cudaMalloc(&data, 4));
  CHECK(cudaMallocHost(&host, 4));
  CHECK(cudaMemset(data, 0, 4));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  for (int i = 1; i <= 3; ++i) {
    add<<<1, 1, 0, stream>>>(data, i);
    CHECK(cudaMemcpyAsync(host, data, 4, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaLaunchHostFunc(stream, note, (void*)(size_t)i));
  }
  CHECK(cudaStreamAddCallback(stream, callback, (void*)4, 0));
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < entries; ++i) std::printf("%d ", log_entries[i]);
  std::printf("\n");
  CHECK(cudaStreamDestroy(stream));
}
