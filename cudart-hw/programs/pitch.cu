// Pitched memory and copies of two dimensions, both ways and on the device.
#include <vector>

#include "check.h"

__global__ void transpose(const float* in, size_t in_pitch, float* out, size_t out_pitch, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    reinterpret_cast<float*>(reinterpret_cast<char*>(out) + x * out_pitch)[y] =
        reinterpret_cast<const float*>(reinterpret_cast<const char*>(in) + y * in_pitch)[x];
}

int main() {
  const int width = 37, height = 21;
  std::vector<float> host(width * height), back(width * height), part(10 * 5);
  for (int i = 0; i < width * height; ++i) host[i] = (float)i;
  float *a, *b;
  size_t pitch_a, pitch_b;
  CHECK(cudaMallocPitch(&a, &pitch_a, width * 4, height));
  CHECK(cudaMallocPitch(&b, &pitch_b, height * 4, width));
  std::printf("pitch %d %d\n", pitch_a >= width * 4, pitch_a % 32 == 0);
  CHECK(cudaMemset2D(b, pitch_b, 0xff, height * 4, width));
  CHECK(cudaMemcpy2D(a, pitch_a, host.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
  transpose<<<dim3(3, 2), dim3(16, 16)>>>(a, pitch_a, b, pitch_b, width, height);
  CHECK(cudaMemcpy2D(back.data(), height * 4, b, pitch_b, height * 4, width, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) wrong += back[x * height + y] != host[y * width + x];
  CHECK(cudaMemcpy2DAsync(b, pitch_b, (char*)a + 2 * pitch_a + 8, pitch_a, 40, 5, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpy2D(part.data(), 40, b, pitch_b, 40, 5, cudaMemcpyDefault));
  std::printf("%d wrong, part %.0f %.0f, %08x\n", wrong, part[0], part[49], checksum(part.data(), 200));
}
