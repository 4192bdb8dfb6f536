// Virtual functions of objects made on the device, device new and delete.
#include "check.h"

class Shape {
 public:
  __device__ virtual ~Shape() {}
  __device__ virtual int area() const = 0;
  __device__ virtual int corners() const { return 0; }
};
class Square : public Shape {
 public:
  __device__ explicit Square(int side) : side_(side) {}
  __device__ int area() const override { return side_ * side_; }
  __device__ int corners() const override { return 4; }

 private:
  int side_;
};
class Triangle : public Shape {
 public:
  __device__ Triangle(int base, int height) : base_(base), height_(height) {}
  __device__ int area() const override { return base_ * height_ / 2; }
  __device__ int corners() const override { return 3; }

 private:
  int base_, height_;
};
class Blob : public Shape {
 public:
  __device__ int area() const override { return 7; }
};

__global__ void make(Shape** shapes) {
  const int i = threadIdx.x;
  if (i % 3 == 0) shapes[i] = new Square(i);
  if (i % 3 == 1) shapes[i] = new Triangle(i, 4);
  if (i % 3 == 2) shapes[i] = new Blob;
}
__global__ void measure(Shape** shapes, int* out) {
  const int i = threadIdx.x;
  out[i] = shapes[i]->area() * 10 + shapes[i]->corners();
}
__global__ void destroy(Shape** shapes) { delete shapes[threadIdx.x]; }

int main() {
  Shape** shapes;
  int* out;
  CHECK(cudaMalloc(&shapes, 48 * sizeof(Shape*)));
  CHECK(cudaMalloc(&out, 48 * 4));
  make<<<1, 48>>>(shapes);
  measure<<<1, 48>>>(shapes, out);
  destroy<<<1, 48>>>(shapes);
  int host[48];
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 12; ++i) std::printf("%d ", host[i]);
  std::printf("%08x\n", checksum(host, sizeof(host)));
}
