// Breadth-first search with a frontier and a flag that the host reads after every level.
#include <queue>
#include <vector>

#include "check.h"

__global__ void expand(const int* offsets, const int* edges, int* level, int n, int depth, int* changed) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || level[v] != depth) return;
  for (int e = offsets[v]; e < offsets[v + 1]; ++e) {
    if (atomicCAS(&level[edges[e]], -1, depth + 1) == -1) *changed = 1;
  }
}

int main() {
  const int n = 1200;
  std::vector<int> offsets(n + 1), edges, level(n, -1), result(n);
  for (int v = 0; v < n; ++v) {
    for (int k = 1; k <= v % 4; ++k) edges.push_back((v * 17 + k * 131) % n);
    edges.push_back((v + 1) % n);
    offsets[v + 1] = (int)edges.size();
  }
  std::queue<int> queue({0});
  level[0] = 0;
  for (; !queue.empty(); queue.pop()) {
    const int v = queue.front();
    for (int e = offsets[v]; e < offsets[v + 1]; ++e)
      if (level[edges[e]] < 0) level[edges[e]] = level[v] + 1, queue.push(edges[e]);
  }
  int *doffsets, *dedges, *dlevel, *dchanged, changed = 1, depth = 0;
  CHECK(cudaMalloc(&doffsets, offsets.size() * 4));
  CHECK(cudaMalloc(&dedges, edges.size() * 4));
  CHECK(cudaMalloc(&dlevel, n * 4));
  CHECK(cudaMalloc(&dchanged, 4));
  CHECK(cudaMemcpy(doffsets, offsets.data(), offsets.size() * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dedges, edges.data(), edges.size() * 4, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(dlevel, 0xff, n * 4));
  CHECK(cudaMemset(dlevel, 0, 4));
  for (; changed; ++depth) {
    CHECK(cudaMemset(dchanged, 0, 4));
    expand<<<(n + 127) / 128, 128>>>(doffsets, dedges, dlevel, n, depth, dchanged);
    CHECK(cudaMemcpy(&changed, dchanged, 4, cudaMemcpyDeviceToHost));
  }
  CHECK(cudaMemcpy(result.data(), dlevel, n * 4, cudaMemcpyDeviceToHost));
  std::printf("same %d, depth %d, %08x\n", result == level, depth, checksum(result.data(), n * 4));
}
