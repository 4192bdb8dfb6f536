// Memory of three dimensions: cudaMalloc3D, cudaMemcpy3D with positions, cudaMemset3D.
#include <vector>

#include "check.h"

__global__ void add_one(cudaPitchedPtr volume, int width, int height, int depth) {
  const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
  char* slice = (char*)volume.ptr + z * volume.pitch * height;
  if (x < width && z < depth) ((int*)(slice + y * volume.pitch))[x] += 1;
}

int main() {
  const int width = 13, height = 7, depth = 5;
  std::vector<int> host(width * height * depth), back(host.size(), -1);
  for (size_t i = 0; i < host.size(); ++i) host[i] = (int)i * 2;
  cudaPitchedPtr volume;
  const cudaExtent extent = make_cudaExtent(width * sizeof(int), height, depth);
  CHECK(cudaMalloc3D(&volume, extent));
  std::printf("xsize %zu, ysize %zu\n", volume.xsize, volume.ysize);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(host.data(), width * sizeof(int), width, height);
  copy.dstPtr = volume;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  add_one<<<dim3(height, depth), 32>>>(volume, width, height, depth);
  cudaMemcpy3DParms out{};
  out.srcPtr = volume;
  out.srcPos = make_cudaPos(4, 1, 2);
  out.dstPtr = make_cudaPitchedPtr(back.data(), width * sizeof(int), width, height);
  out.dstPos = make_cudaPos(8, 0, 1);
  out.extent = make_cudaExtent(5 * sizeof(int), 3, 2);
  out.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&out));
  std::printf("%d %d %08x\n", back[(1 * height + 0) * width + 2], back[(2 * height + 2) * width + 6],
              checksum(back.data(), back.size() * 4));
  CHECK(cudaMemset3D(volume, 1, make_cudaExtent(8, height, 1)));
  int first[3];
  CHECK(cudaMemcpy(first, volume.ptr, 12, cudaMemcpyDeviceToHost));
  std::printf("%x %x %x\n", first[0], first[1], first[2]);
}
