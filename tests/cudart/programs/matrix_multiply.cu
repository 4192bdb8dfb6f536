// A tiled matrix product of integers and of doubles, as a template over the tile.
#include <vector>

#include "check.h"

template <typename T, int kTile>
__global__ void multiply(const T* a, const T* b, T* c, int n) {
  __shared__ T ta[kTile][kTile], tb[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * kTile + x, row = blockIdx.y * kTile + y;
  T sum = 0;
  for (int t = 0; t < n; t += kTile) {
    ta[y][x] = row < n && t + x < n ? a[row * n + t + x] : T(0);
    tb[y][x] = t + y < n && column < n ? b[(t + y) * n + column] : T(0);
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += ta[y][k] * tb[k][x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

template <typename T, int kTile>
void run(const char* name, int n) {
  std::vector<T> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; ++i) a[i] = T(i % 13) - T(5), b[i] = T(i % 7) - T(2);
  T *da, *db, *dc;
  CHECK(cudaMalloc(&da, n * n * sizeof(T)));
  CHECK(cudaMalloc(&db, n * n * sizeof(T)));
  CHECK(cudaMalloc(&dc, n * n * sizeof(T)));
  CHECK(cudaMemcpy(da, a.data(), n * n * sizeof(T), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), n * n * sizeof(T), cudaMemcpyHostToDevice));
  const int blocks = (n + kTile - 1) / kTile;
  multiply<T, kTile><<<dim3(blocks, blocks), dim3(kTile, kTile)>>>(da, db, dc, n);
  CHECK(cudaMemcpy(c.data(), dc, n * n * sizeof(T), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      T sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      wrong += sum != c[i * n + j];
    }
  std::printf("%s: %d wrong, %08x\n", name, wrong, checksum(c.data(), n * n * sizeof(T)));
}

int main() {
  run<int, 16>("int", 50);
  run<double, 8>("double", 40);
  run<float, 32>("float", 45);
}
