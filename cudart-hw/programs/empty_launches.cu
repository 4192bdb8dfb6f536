// Kernels that do nothing, many times; prints the time of a launch when asked to.
#include <chrono>
#include <cstring>

#include "check.h"

__global__ void empty() {}
__global__ void empty_with_arguments(int, float, const void*, double) {}

int main(int argc, char** argv) {
  const int launches = argc > 1 ? atoi(argv[1]) : 100;
  empty<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < launches; ++i) empty<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (int i = 0; i < launches; ++i) empty_with_arguments<<<7, 33>>>(i, 1.5f, nullptr, 2.5);
  CHECK(cudaDeviceSynchronize());
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  if (argc > 2 && !strcmp(argv[2], "time")) std::printf("%.2f us a launch\n", seconds / launches * 1e6);
}
