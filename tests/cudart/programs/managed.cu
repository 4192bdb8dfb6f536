// Managed memory: written and read on both sides, at the same address, with prefetches in between.
#include "check.h"

struct Node {
  int value;
  Node* next;
};

__global__ void walk(Node* list, long long* sum) {
  for (Node* n = list; n != nullptr; n = n->next) {
    *sum += n->value;
    n->value = -n->value;
  }
}
__global__ void scale(double* data, int n, double by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= by;
}

int main() {
  Node* nodes;
  long long* sum;
  CHECK(cudaMallocManaged(&nodes, 100 * sizeof(Node)));
  CHECK(cudaMallocManaged(&sum, sizeof(*sum)));
  *sum = 0;
  for (int i = 0; i < 100; ++i) nodes[i] = {i * i, i == 99 ? nullptr : &nodes[(i * 37 + 37) % 100 == 0 ? 0 : i + 1]};
  walk<<<1, 1>>>(nodes, sum);
  CHECK(cudaDeviceSynchronize());
  std::printf("sum %lld, last %d\n", *sum, nodes[99].value);

  const int n = 1000;
  double* data;
  CHECK(cudaMallocManaged(&data, n * sizeof(double), cudaMemAttachGlobal));
  for (int i = 0; i < n; ++i) data[i] = i;
  scale<<<4, 256>>>(data, n, 1.5);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) data[i] += 1;
  scale<<<4, 256>>>(data, n, 2.0);
  CHECK(cudaDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += data[i] != (i * 1.5 + 1) * 2;
  std::printf("%d wrong\n", wrong);
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, data + 5));
  std::printf("type %d, same pointers %d\n", attributes.type,
              attributes.devicePointer == data + 5 && attributes.hostPointer == data + 5);
  CHECK(cudaFree(nodes));
  CHECK(cudaFree(sum));
  CHECK(cudaFree(data));
}
