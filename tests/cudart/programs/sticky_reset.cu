// After a fault: what still answers, and what a reset does.
#include "check.h"

__global__ void fault(int* p) { *p = 1; }

int main() {
  int count = 0, device = -1;
  cudaEvent_t event;
  cudaStream_t stream;
  CHECK(cudaEventCreate(&event));
  CHECK(cudaStreamCreate(&stream));
  fault<<<1, 1, 0, stream>>>((int*)16);
  std::printf("wait: %s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));
  std::printf("query: %s\n", cudaGetErrorName(cudaStreamQuery(stream)));
  std::printf("record: %s\n", cudaGetErrorName(cudaEventRecord(event, stream)));
  std::printf("count: %s %d\n", cudaGetErrorName(cudaGetDeviceCount(&count)), count > 0);
  std::printf("device: %s %d\n", cudaGetErrorName(cudaGetDevice(&device)), device);
  std::printf("reset: %s\n", cudaGetErrorName(cudaDeviceReset()));
  int* p;
  std::printf("malloc: %s\n", cudaGetErrorName(cudaMalloc(&p, 4)));
}
