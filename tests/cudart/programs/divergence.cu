// Control flow that diverges: nested loops with break and continue, early returns, goto, switch inside loops.
#include "check.h"

__global__ void run(int* out, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  int sum = 0;
  for (int i = 0; i < t % 17; ++i) {
    if (i == 11) break;
    if (i % 3 == 1) continue;
    int j = i;
    do {
      sum += j * (t & 3);
      if (sum > 500) goto out_of_it;
      switch ((i + j + t) % 4) {
        case 0:
          sum ^= 3;
          break;
        case 1:
          sum += 5;
          // falls through
        case 2:
          sum -= 2;
          break;
        default:
          continue;
      }
    } while (--j > 0);
  }
out_of_it:
  while (sum % 7 != 0) {
    if (sum < 0) {
      sum = -sum;
      if (sum % 2) {
        out[t] = sum;
        return;
      }
    }
    ++sum;
  }
  out[t] = sum + (t % 2 ? (t % 3 ? 100 : 200) : (t % 5 ? 300 : 400));
}

int main() {
  int *out, host[1000];
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMemset(out, 0xff, sizeof(host)));
  run<<<8, 128>>>(out, 1000);
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  std::printf("%d %d %d %08x\n", host[5], host[500], host[999], checksum(host, sizeof(host)));
}
