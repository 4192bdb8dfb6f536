// A cooperative launch: the whole grid waits for itself.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void rounds(int* data, int n, int count) {
  cg::grid_group grid = cg::this_grid();
  const int i = (int)grid.thread_rank();
  for (int r = 0; r < count; ++r) {
    const int value = i < n ? data[(i + 1) % n] + data[(i + n - 1) % n] : 0;
    grid.sync();
    if (i < n) data[i] = value % 1000003;
    grid.sync();
  }
}

int main() {
  int n = 1000, count = 6, *data, host[1000], reference[1000], next[1000];
  for (int i = 0; i < n; ++i) host[i] = reference[i] = i;
  CHECK(cudaMalloc(&data, n * 4));
  CHECK(cudaMemcpy(data, host, n * 4, cudaMemcpyHostToDevice));
  void* arguments[] = {&data, &n, &count};
  CHECK(cudaLaunchCooperativeKernel(rounds, dim3(8), dim3(128), arguments, 0, 0));
  CHECK(cudaMemcpy(host, data, n * 4, cudaMemcpyDeviceToHost));
  for (int r = 0; r < count; ++r) {
    for (int i = 0; i < n; ++i) next[i] = (reference[(i + 1) % n] + reference[(i + n - 1) % n]) % 1000003;
    for (int i = 0; i < n; ++i) reference[i] = next[i];
  }
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += host[i] != reference[i];
  std::printf("%d wrong, %08x\n", wrong, checksum(host, sizeof(host)));
  std::printf("too large: %s\n",
              cudaGetErrorName(cudaLaunchCooperativeKernel(rounds, dim3(1000000), dim3(1024), arguments, 0, 0)));
}
