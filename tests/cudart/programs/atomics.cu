// Atomics of all kinds on global and shared memory; what is left does not depend on their order.
#include "check.h"

struct Results {
  int add, sub, min, max, exch_sum, inc, dec;
  unsigned and_, or_, xor_, umin, umax;
  unsigned long long add64, max64, cas64;
  float fadd;
  double dadd;
  int cas;
};

__device__ void lock_add(int* lock, int* value) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *(volatile int*)value = *(volatile int*)value + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

__global__ void run(Results* r, int* shared_out, int* lock, int* value) {
  __shared__ int bins[16];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  atomicAdd(&r->add, i);
  atomicSub(&r->sub, 2);
  atomicMin(&r->min, 500 - i);
  atomicMax(&r->max, i * 3);
  atomicInc((unsigned*)&r->inc, 99);
  atomicDec((unsigned*)&r->dec, 49);
  atomicAnd(&r->and_, ~(1u << (i % 20)));
  atomicOr(&r->or_, 1u << (i % 29));
  atomicXor(&r->xor_, (unsigned)i * 2654435761u);
  atomicMin(&r->umin, (unsigned)(i + 7));
  atomicMax(&r->umax, 0xfffff000u + i);
  atomicAdd(&r->add64, 1ull << 33);
  atomicMax(&r->max64, (unsigned long long)i << 35);
  atomicAdd(&r->fadd, 0.5f);
#if __CUDA_ARCH__ >= 600
  atomicAdd(&r->dadd, 0.25);
#endif
  unsigned long long old = r->cas64, seen;
  do {
    seen = old;
    old = atomicCAS(&r->cas64, seen, seen + 3);
  } while (old != seen);
  int before = atomicExch(&r->exch_sum, i);
  atomicAdd(&r->cas, before);
  atomicAdd(&bins[i % 16], i % 5);
  __syncthreads();
  if (t < 16) atomicAdd(&shared_out[t], bins[t]);
  if (t % 32 == 0) lock_add(lock, value);
}

int main() {
  Results host{}, *r;
  host.min = 1 << 30;
  host.and_ = ~0u;
  host.umin = ~0u;
  int *shared_out, *lock, bins[16], value;
  CHECK(cudaMalloc(&r, sizeof(host)));
  CHECK(cudaMalloc(&shared_out, 64));
  CHECK(cudaMalloc(&lock, 8));
  CHECK(cudaMemset(shared_out, 0, 64));
  CHECK(cudaMemset(lock, 0, 8));
  CHECK(cudaMemcpy(r, &host, sizeof(host), cudaMemcpyHostToDevice));
  run<<<8, 128>>>(r, shared_out, lock, lock + 1);
  CHECK(cudaMemcpy(&host, r, sizeof(host), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(bins, shared_out, 64, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&value, lock + 1, 4, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d %d %d %d\n", host.add, host.sub, host.min, host.max, host.inc, host.dec);
  std::printf("%08x %08x %08x %u %u\n", host.and_, host.or_, host.xor_, host.umin, host.umax);
  std::printf("%llu %llu %llu %.1f %.2f\n", host.add64, host.max64, host.cas64, host.fadd, host.dadd);
  std::printf("exchanged %d, locked %d, bins", host.cas + host.exch_sum, value);
  for (int b : bins) std::printf(" %d", b);
  std::printf("\n");
}
