// printf from a kernel: conversions, widths, strings; output arrives when the host waits.
#include "check.h"

__global__ void hello(const char* unused, int n) {
  printf("int %d %5d|%-5d|%05d|%+d\n", n, n, n, n, n);
  printf("unsigned %u %x %X %o %#x\n", 255u, 255u, 255u, 255u, 255u);
  printf("long %lld %llu %llx\n", -1234567890123ll, 12345678901234567890ull, 0xfedcba9876543210ull);
  printf("double %f %.3f %10.2f|%e %g\n", 3.25, 2.0 / 3.0, 1234.5, 0.0001220703125, 1e20);
  printf("char %c%c string '%s' '%10s' '%-10s'\n", 'a', 'b', "text", "right", "left");
  printf("percent %% star %*d|%.*f\n", 6, 42, 2, 3.14159);
  printf("null pointer %d, size %llu\n", unused == nullptr, (unsigned long long)sizeof(size_t));
  int count = printf("three %d %d %d\n", 1, 2, 3);
  printf("returned %d\n", count);
}

int main() {
  std::printf("host before\n");
  hello<<<1, 1>>>(nullptr, 42);
  std::printf("host after the launch\n");
  CHECK(cudaDeviceSynchronize());
  std::printf("host after waiting\n");
}
