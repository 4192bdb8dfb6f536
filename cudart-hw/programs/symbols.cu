// Device globals: initial values, copies to and from symbols with offsets, addresses, sizes, wrong symbols.
#include "check.h"

__device__ int scalar = 3;
__device__ int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ struct {
  double d;
  char c[16];
} record;
__constant__ float weights[4] = {0.5f, 0.25f, 0.125f, 1.0f};
__device__ int* pointer_to_table = &table[2];
static __device__ unsigned hidden = 0xabcdu;
namespace inner {
__device__ long long big = -5;
}

__global__ void use(int* out) {
  int i = threadIdx.x;
  table[i] = table[i] * scalar + (int)(weights[i % 4] * 8);
  __syncthreads();
  if (i == 0) {
    out[0] = *pointer_to_table;
    out[1] = (int)hidden;
    out[2] = (int)inner::big;
    record.d = 2.5;
    for (int k = 0; k < 15; ++k) record.c[k] = 'a' + k;
    record.c[15] = 0;
    inner::big = 1ll << 40;
  }
}

int main() {
  const int seven = 7;
  CHECK(cudaMemcpyToSymbol(scalar, &seven, sizeof(int)));
  const int two[2] = {100, 200};
  CHECK(cudaMemcpyToSymbol(table, two, sizeof(two), 2 * sizeof(int)));
  const float w = 2.0f;
  CHECK(cudaMemcpyToSymbol(weights, &w, sizeof(w), sizeof(float), cudaMemcpyHostToDevice));
  int* out;
  CHECK(cudaMalloc(&out, 12));
  use<<<1, 8>>>(out);
  int host[8];
  CHECK(cudaMemcpyFromSymbol(host, table, sizeof(host)));
  for (int x : host) std::printf("%d ", x);
  CHECK(cudaMemcpy(host, out, 12, cudaMemcpyDeviceToHost));
  std::printf("| %d %x %d\n", host[0], host[1], host[2]);
  struct {
    double d;
    char c[16];
  } copy;
  CHECK(cudaMemcpyFromSymbol(&copy, record, sizeof(copy)));
  long long big;
  CHECK(cudaMemcpyFromSymbol(&big, inner::big, sizeof(big)));
  std::printf("%.2f %s %lld\n", copy.d, copy.c, big);
  void* address;
  size_t size;
  CHECK(cudaGetSymbolAddress(&address, table));
  CHECK(cudaGetSymbolSize(&size, table));
  CHECK(cudaMemcpy(host, (char*)address + 4, 4, cudaMemcpyDeviceToHost));
  std::printf("size %zu, second %d\n", size, host[0]);
  std::printf("too far: %s\n", cudaGetErrorName(cudaMemcpyToSymbol(table, host, 8, 28)));
  int not_a_symbol;
  std::printf("not a symbol: %s\n", cudaGetErrorName(cudaMemcpyToSymbol(&not_a_symbol, host, 4)));
}
