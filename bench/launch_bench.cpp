// What a launch costs by itself: an empty kernel of one warp, launched and waited for, in host time.
#include <benchmark/benchmark.h>

#include "runtime/device.h"
#include "session/machine.h"

namespace heddle {
namespace {

constexpr const char* kEmpty = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry empty() {\n  ret;\n}\n";

void empty_kernel(benchmark::State& state, const char* gpu) {
  runtime::Device::Options options;
  options.gpu = session::load_gpu(gpu, "", {});
  runtime::Device device(options);
  const runtime::Kernel kernel = device.load(kEmpty, "empty.ptx").kernel("empty");
  for (auto _ : state) benchmark::DoNotOptimize(device.launch(kernel, {1, 1, 1}, {32, 1, 1}, 0).cycles);
}
BENCHMARK_CAPTURE(empty_kernel, fermi_gtx480, "fermi-gtx480")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(empty_kernel, h200, "h200")->Unit(benchmark::kMicrosecond);

void empty_kernel_functional(benchmark::State& state) {
  runtime::Device device;
  const runtime::Kernel kernel = device.load(kEmpty, "empty.ptx").kernel("empty");
  for (auto _ : state) benchmark::DoNotOptimize(device.launch(kernel, {1, 1, 1}, {32, 1, 1}, 0).warp_instructions);
}
BENCHMARK(empty_kernel_functional)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace heddle
