// The last error is each thread's own, and "not ready" is none.
#include <thread>

#include "check.h"

int main() {
  void* p;
  std::printf("%s\n", cudaGetErrorName(cudaMalloc(&p, (size_t)1 << 58)));
  std::thread([] { std::printf("other thread: %s\n", cudaGetErrorName(cudaGetLastError())); }).join();
  std::printf("peek: %s\n", cudaGetErrorName(cudaPeekAtLastError()));
  CHECK(cudaMalloc(&p, 16));
  std::printf("kept after a success: %s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("gone: %s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("%s, %s, %s\n", cudaGetErrorName((cudaError_t)12345), cudaGetErrorString((cudaError_t)12345),
              cudaGetErrorString(cudaErrorLaunchOutOfResources));
}
