// Grids and blocks of three dimensions; every index is seen once.
#include <vector>

#include "check.h"

__global__ void mark(int* seen, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx && y < ny && z < nz)
    atomicAdd(&seen[(z * ny + y) * nx + x], 1 + (int)(gridDim.x * 10000 + gridDim.y * 100 + gridDim.z));
}

int main() {
  const int nx = 19, ny = 14, nz = 11;
  int* seen;
  CHECK(cudaMalloc(&seen, nx * ny * nz * 4));
  CHECK(cudaMemset(seen, 0, nx * ny * nz * 4));
  const dim3 block(8, 4, 2), grid((nx + 7) / 8, (ny + 3) / 4, (nz + 1) / 2);
  mark<<<grid, block>>>(seen, nx, ny, nz);
  std::vector<int> host(nx * ny * nz);
  CHECK(cudaMemcpy(host.data(), seen, host.size() * 4, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int value : host) wrong += value != 1 + (int)(grid.x * 10000 + grid.y * 100 + grid.z);
  std::printf("%d wrong of %zu\n", wrong, host.size());
}
