// Algorithms of thrust: sort, scan, reduce, transform, unique.
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include <vector>

#include "check.h"

struct Square {
  __host__ __device__ int operator()(int x) const { return x * x % 1000; }
};

int main() {
  const int n = 2000;
  std::vector<int> host(n);
  unsigned seed = 5;
  for (int& x : host) x = (int)((seed = seed * 1664525u + 1013904223u) >> 20);
  thrust::device_vector<int> values(host.begin(), host.end());
  thrust::sort(values.begin(), values.end());
  thrust::copy(values.begin(), values.end(), host.begin());
  std::printf("sorted %08x\n", checksum(host.data(), n * 4));
  std::printf("sum %d\n", thrust::reduce(values.begin(), values.end()));
  thrust::transform(values.begin(), values.end(), values.begin(), Square());
  thrust::inclusive_scan(values.begin(), values.end(), values.begin());
  std::printf("last %d\n", (int)values[n - 1]);
  thrust::device_vector<int> small(host.begin(), host.end());
  small.erase(thrust::unique(small.begin(), small.end()), small.end());
  std::printf("unique %d\n", (int)small.size());
}
