// Managed memory that migrates: what touches, kernels, prefetches and advice cost, as events and the device's timers
// have it, so that it says the same thing on hardware and in simulation. Prints "managed NAME key value ...".
//
// Times of the host (back_by_host_us) are zero in simulation, which does not simulate the host.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                       \
  do {                                                                    \
    const cudaError_t error_ = (call);                                    \
    if (error_ != cudaSuccess) {                                          \
      std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(error_)); \
      std::exit(1);                                                       \
    }                                                                     \
  } while (0)

__device__ int load(const int* at) {
  int value;
  asm volatile("ld.global.cg.b32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}

/// One thread touches words a stride apart, one after the other. Times in cycles.
__global__ void touch(int* data, int count, int stride, unsigned* cycles, bool write) {
  int sum = 0;
  for (int i = 0; i < count; ++i) {
    const long long begin = clock64();
    int* at = data + static_cast<size_t>(i) * stride + sum;
    sum += write ? atomicAdd(at, sum) : load(at);
    if (sum == 77) asm volatile("trap;");
    cycles[i] = static_cast<unsigned>(clock64() - begin);
  }
}
__global__ void read_all(const int* data, size_t count, int* out) {
  int sum = 0;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) sum += data[i];
  if (sum == 77) *out = sum;
}
__global__ void write_all(int* data, size_t count) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) data[i] = 1;
}

static cudaEvent_t begin_event, end_event;
static double host_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
template <typename Work>
static float timed(Work&& work) {
  CHECK(cudaEventRecord(begin_event));
  work();
  CHECK(cudaEventRecord(end_event));
  CHECK(cudaDeviceSynchronize());
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, begin_event, end_event));
  return ms * 1000;
}

static cudaMemLocation device_side, host_side;
static unsigned* cycles;
static int* out;
static double mhz;

static void touches(const char* name, int* data, int count, int stride, bool write) {
  const float all = timed([&] { touch<<<1, 1>>>(data, count, stride, cycles, write); });
  std::vector<unsigned> times(count);
  CHECK(cudaMemcpy(times.data(), cycles, count * sizeof(unsigned), cudaMemcpyDeviceToHost));
  int faulted = 0;
  double faults_us = 0;
  for (unsigned t : times) {
    if (t < 5 * mhz) continue;
    ++faulted;
    faults_us += t / mhz;
  }
  std::printf("managed %s touches %d faulted %d first_us %.1f others_us %.1f kernel_us %.1f\n", name, count, faulted,
              times[0] / mhz, faulted > 1 ? (faults_us - times[0] / mhz) / (faulted - 1) : 0.0, all);
  std::fflush(stdout);
}

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 1;
  device_side.type = cudaMemLocationTypeDevice;
  device_side.id = 0;
  host_side.type = cudaMemLocationTypeHost;
  host_side.id = 0;
  int khz = 0;
  CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  mhz = khz / 1000.0;
  CHECK(cudaEventCreate(&begin_event));
  CHECK(cudaEventCreate(&end_event));
  CHECK(cudaMalloc(&cycles, 4096 * sizeof(unsigned)));
  CHECK(cudaMalloc(&out, sizeof(int)));
  const size_t size = 16 << 20;
  const size_t parts[] = {4096, 65536, 262144, 2 << 20, size};
  read_all<<<132, 256>>>(out, 1, out);
  CHECK(cudaDeviceSynchronize());
  for (int run = 0; run < runs; ++run) {
    int* m;
    CHECK(cudaMallocManaged(&m, size));
    touches("untouched_read", m, 512, 1024, false);
    std::memset(m, 0, size);
    touches("host_written_read_4k", m, 1024, 1024, false);
    std::memset(m, 0, size);
    touches("host_written_write_4k", m, 1024, 1024, true);
    std::memset(m, 0, size);
    touches("host_written_read_64k", m, 64, 16384, false);
    std::memset(m, 0, size);
    touches("host_written_read_2m", m, 8, 524288, false);
    for (const size_t part : parts) {
      std::memset(m, 0, size);
      const float first = timed([&] { read_all<<<132, 256>>>(m, part / 4, out); });
      const float second = timed([&] { read_all<<<132, 256>>>(m, part / 4, out); });
      const double begin = host_us();
      volatile int sink = 0;
      for (size_t i = 0; i < part / 4; i += 1024) sink = sink + m[i];
      const double back = host_us() - begin;
      const float again = timed([&] { read_all<<<132, 256>>>(m, part / 4, out); });
      std::printf("managed kernel bytes %zu first_us %.1f second_us %.1f back_by_host_us %.1f again_us %.1f\n", part,
                  first, second, back, again);
    }
    for (const size_t part : parts) {
      std::memset(m, 0, size);
      const float there = timed([&] { CHECK(cudaMemPrefetchAsync(m, part, device_side, 0, 0)); });
      const float kernel = timed([&] { read_all<<<132, 256>>>(m, part / 4, out); });
      const float back = timed([&] { CHECK(cudaMemPrefetchAsync(m, part, host_side, 0, 0)); });
      std::printf("managed prefetch bytes %zu to_device_us %.1f kernel_us %.1f to_host_us %.1f\n", part, there, kernel,
                  back);
    }
    // Read by both sides: with copies on both, and mapped where it is.
    CHECK(cudaMemAdvise(m, size, cudaMemAdviseSetReadMostly, device_side));
    std::memset(m, 0, size);
    const float copied = timed([&] { read_all<<<132, 256>>>(m, size / 4, out); });
    volatile int sink = 0;
    const double begin = host_us();
    for (size_t i = 0; i < size / 4; i += 1024) sink = sink + m[i];
    const double read_back = host_us() - begin;
    const float kept = timed([&] { read_all<<<132, 256>>>(m, size / 4, out); });
    const float written = timed([&] { write_all<<<132, 256>>>(m, size / 4); });
    std::printf("managed read_mostly first_us %.1f back_by_host_us %.1f again_us %.1f written_us %.1f\n", copied,
                read_back, kept, written);
    CHECK(cudaMemAdvise(m, size, cudaMemAdviseUnsetReadMostly, device_side));
    CHECK(cudaMemPrefetchAsync(m, size, host_side, 0, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemAdvise(m, size, cudaMemAdviseSetPreferredLocation, host_side));
    CHECK(cudaMemAdvise(m, size, cudaMemAdviseSetAccessedBy, device_side));
    std::memset(m, 0, size);
    touches("remote_read_4k", m, 512, 1024, false);
    const float remote = timed([&] { read_all<<<132, 256>>>(m, size / 4, out); });
    const float again = timed([&] { read_all<<<132, 256>>>(m, size / 4, out); });
    const float store = timed([&] { write_all<<<132, 256>>>(m, size / 4); });
    std::memset(m, 0, size);
    std::vector<unsigned> times(512);
    touch<<<1, 1>>>(m, 512, 32, cycles, false);
    CHECK(cudaMemcpy(times.data(), cycles, sizeof(unsigned) * 512, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (unsigned t : times) sum += t;
    std::printf("managed remote read_us %.1f again_us %.1f write_us %.1f access_ns %.0f\n", remote, again, store,
                sum / 512 / mhz * 1000);
    CHECK(cudaFree(m));
  }
  std::printf("end %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
