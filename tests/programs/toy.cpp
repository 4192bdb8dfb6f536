// A small CUDA program as a compiler would make it, without one: a fat binary, its registration, and calls of the
// runtime. What it does is its first argument; the tests of this folder run it under `heddle exec`, sweeps and Python.
//
//   toy scale N     doubles N numbers and checks them       toy three       scale, spin, scale
//   toy exit K      the same, and ends with status K        toy streams     two streams, side by side
//   toy refused     a kernel that cannot be run             toy toobig      a block of 2048 threads
//   toy fault       reads outside of what is allocated      toy crash       dies from a signal
//   toy memory      prints cudaMemGetInfo                   toy nothing     does not use the GPU
//   toy spin N      a kernel of N rounds                    toy hostloop    a kernel, then the host loops
//   toy past        one element past what is allocated
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#ifndef TOY_KIND
#define TOY_KIND 1  // PTX; 2 is machine code
#endif

namespace {

struct Size {
  unsigned x, y, z;
};
using Stream = struct StreamTag*;

constexpr std::size_t kTextBytes = 4096;
constexpr std::uint32_t kEntryHeader = 64;

struct Container {
  std::uint32_t magic;
  std::uint16_t version, header;
  std::uint64_t bytes;
  std::uint16_t kind, one;
  std::uint32_t entry_header;
  std::uint64_t payload;
  std::uint32_t compressed, options;
  std::uint16_t minor, major;
  std::uint32_t architecture, name, name_bytes;
  std::uint64_t flags, zero, uncompressed;
  char text[kTextBytes];
};

__attribute__((section(".nv_fatbin"), used, aligned(8))) const Container kContainer{0xba55ed50,
                                                                                    1,
                                                                                    16,
                                                                                    kEntryHeader + kTextBytes,
                                                                                    TOY_KIND,
                                                                                    0x101,
                                                                                    kEntryHeader,
                                                                                    kTextBytes,
                                                                                    0,
                                                                                    0,
                                                                                    0,
                                                                                    7,
                                                                                    75,
                                                                                    0,
                                                                                    0,
                                                                                    0,
                                                                                    0,
                                                                                    0,
                                                                                    R"(.version 7.0
.target sm_75
.address_size 64
.file 1 "/src/toy.cu"
.visible .entry _Z5scalePfi(.param .u64 data, .param .u32 count)
{
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<3>; .reg .b64 %rd<4>;
  .loc 1 10 3
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  ld.param.u32 %r5, [count];
  setp.ge.s32 %p1, %r4, %r5;
  @%p1 ret;
  .loc 1 12 5
  ld.param.u64 %rd1, [data];
  mul.wide.s32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.f32 %f1, [%rd3];
  add.f32 %f2, %f1, %f1;
  st.global.f32 [%rd3], %f2;
  ret;
}
.visible .entry _Z4spinPfi(.param .u64 data, .param .u32 rounds)
{
  .reg .pred %p<2>; .reg .b32 %r<4>; .reg .f32 %f<3>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [rounds];
  mov.u32 %r2, 0;
  mov.f32 %f1, 0f3F800000;
again:
  fma.rn.f32 %f1, %f1, %f1, 0f3DCCCCCD;
  add.s32 %r2, %r2, 1;
  setp.lt.s32 %p1, %r2, %r1;
  @%p1 bra again;
  setp.eq.f32 %p1, %f1, 0f00000000;
  @%p1 st.global.f32 [%rd1], %f1;
  ret;
}
.visible .entry _Z6tensorPfi(.param .u64 data, .param .u32 count)
{
  .reg .b32 %r<4>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [data];
  sust.b.1d.b32.trap [%rd1, {%r1}], {%r2};
  ret;
}
)"};

struct Wrapper {
  unsigned magic, version;
  const void* data;
  const void* const* linked;
};
__attribute__((section(".nvFatBinSegment"), used)) Wrapper wrapper{0x466243b1, 1, &kContainer, nullptr};

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the compiler's names
extern "C" {
#ifdef TOY_STATIC  // the runtime is part of the program, as nvcc has it unless told otherwise
void** __cudaRegisterFatBinary(void*) { return nullptr; }
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*) {}
void __cudaUnregisterFatBinary(void**) {}
int cudaMalloc(void**, std::size_t) { return 1; }
int cudaMemcpy(void*, const void*, std::size_t, int) { return 1; }
int cudaLaunchKernel(const void*, Size, Size, void**, std::size_t, Stream) { return 1; }
int cudaDeviceSynchronize() { return 1; }
int cudaStreamCreate(Stream*) { return 1; }
int cudaMemGetInfo(std::size_t*, std::size_t*) { return 1; }
#else
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
void __cudaUnregisterFatBinary(void**);
int cudaMalloc(void**, std::size_t);
int cudaMemcpy(void*, const void*, std::size_t, int);
int cudaLaunchKernel(const void*, Size, Size, void**, std::size_t, Stream);
int cudaDeviceSynchronize();
int cudaStreamCreate(Stream*);
int cudaMemGetInfo(std::size_t*, std::size_t*);
#endif
#ifdef TOY_CUBLAS
int cublasCreate_v2(void**);
#endif
}
// NOLINTEND(bugprone-reserved-identifier)

namespace {

char scale;
char spin;
char tensor;
void** handle;

void unregister() { __cudaUnregisterFatBinary(handle); }

__attribute__((constructor)) void register_all() {
  handle = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(handle, &scale, nullptr, "_Z5scalePfi", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterFunction(handle, &spin, nullptr, "_Z4spinPfi", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterFunction(handle, &tensor, nullptr, "_Z6tensorPfi", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  std::atexit(unregister);
}

constexpr unsigned kBlock = 128;

int launch(const char& kernel, void* data, int count, unsigned blocks, Stream stream = nullptr,
           unsigned threads = kBlock) {
  void* arguments[] = {&data, &count};
  return cudaLaunchKernel(&kernel, {blocks, 1, 1}, {threads, 1, 1}, arguments, 0, stream);
}

/// Doubles that many numbers; whether they came back right.
bool run_scale(void*& data, int count) {
  std::vector<float> values(static_cast<std::size_t>(count), 1.5f);
  const std::size_t bytes = values.size() * sizeof(float);
  cudaMalloc(&data, bytes);
  cudaMemcpy(data, values.data(), bytes, 1);
  launch(scale, data, count, (static_cast<unsigned>(count) + kBlock - 1) / kBlock);
  cudaMemcpy(values.data(), data, bytes, 2);
  for (const float value : values) {
    if (value != 3.0f) return false;
  }
  return true;
}

void run_streams(void* data) {
  Stream streams[2];
  for (Stream& stream : streams) cudaStreamCreate(&stream);
  for (int i = 0; i < 3; ++i) {
    for (Stream stream : streams) launch(spin, data, 20000, 2, stream);
  }
  cudaDeviceSynchronize();
}

int run(const std::string& what, int number) {
  if (what == "nothing") return 0;
  void* data = nullptr;
  if (what == "memory") {
    std::size_t free_bytes = 0;
    std::size_t all_bytes = 0;
    cudaMemGetInfo(&free_bytes, &all_bytes);
    std::printf("%zu MiB\n", all_bytes >> 20);
    return launch(scale, data, 0, 1);
  }
  const bool right = run_scale(data, what == "scale" && number != 0 ? number : 1000);
  if (!right) return 9;
  if (what == "exit") return number;
  if (what == "refused") launch(tensor, data, 1, 1);
  if (what == "toobig") launch(scale, data, 1, 1, nullptr, 2048);
  if (what == "fault") launch(scale, nullptr, 32, 1);
  if (what == "past") launch(scale, data, 1001, 8);
  if (what == "streams") run_streams(data);
  if (what == "spin") launch(spin, data, number, 2);
  if (what == "three") {
    launch(spin, data, 1000, 2);
    launch(scale, data, 1000, 8);
  }
  cudaDeviceSynchronize();
  if (what == "crash") std::abort();
  if (what == "hostloop") {
    std::printf("looping\n");
    std::fflush(stdout);
    for (std::atomic<std::uint64_t> i = 0; i < 1UL << 40; ++i) {
    }
  }
  std::printf("done\n");
  return 0;
}

}  // namespace

int main(int count, char** words) {
#ifdef TOY_CUBLAS
  cublasCreate_v2(nullptr);
#endif
  return run(count > 1 ? words[1] : "scale", count > 2 ? std::atoi(words[2]) : 0);
}
