// A GPU small and plain enough that its timing can be worked out by hand: all clocks equal, one partition.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>

#include "gpu/gpu.h"
#include "runtime/device.h"

namespace heddle::test {

inline std::shared_ptr<gpu::GpuParameters> small_gpu() {
  auto p = std::make_shared<gpu::GpuParameters>();
  p->set_text("sms", "1");
  p->set_text("core_mhz", "1000");
  p->set_text("memory.partitions", "1");
  p->set_text("l2.clock_mhz", "1000");
  p->set_text("l2.sector_bytes", "32");
  p->set_text("l2.kib", "128");
  p->set_text("l2.ways", "8");
  p->set_text("dram.clock_mhz", "1000");
  p->set_text("dram.tREFI", "0");  // refresh would add its own time to some accesses
  return p;
}

/// A kernel that follows a chain of pointers: start in A, N steps, the last pointer to D.
inline std::string chase_ptx(const std::string& load) {
  return R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry chase(.param .u64 A, .param .u64 D, .param .u32 N)
{
  .reg .pred p;
  .reg .b32 n;
  .reg .b64 a, d;
  ld.param.u64 a, [A];
  ld.param.u64 d, [D];
  ld.param.u32 n, [N];
AGAIN:
  )" + load +
         R"( a, [a];
  sub.u32 n, n, 1;
  setp.ne.u32 p, n, 0;
  @p bra AGAIN;
  st.global.u64 [d], a;
  ret;
}
)";
}

/// Memory with a ring of pointers `stride` bytes apart.
class Ring {
 public:
  Ring(runtime::Device& device, std::size_t count, std::size_t stride) : array_(device, count * stride / 8) {
    std::vector<std::uint64_t> values(count * stride / 8, 0);
    for (std::size_t i = 0; i < count; ++i) values[i * stride / 8] = array_.address() + (i + 1) % count * stride;
    array_.upload(values);
  }
  [[nodiscard]] std::uint64_t start() const { return array_.address(); }

 private:
  runtime::DeviceArray<std::uint64_t> array_;
};

/// Runs the chase for `steps` with one thread after a first lap that warms the caches; the second launch's statistics.
inline runtime::LaunchStatistics run_chase(const std::shared_ptr<gpu::GpuParameters>& gpu, const std::string& load,
                                           std::size_t count, std::size_t stride, std::uint32_t steps) {
  runtime::Device::Options options;
  options.gpu = gpu;
  runtime::Device device(options);
  const runtime::Module module = device.load(chase_ptx(load), "chase.ptx");
  const Ring ring(device, count, stride);
  const runtime::DeviceArray<std::uint64_t> out(device, 1);
  const runtime::Kernel kernel = module.kernel("chase");
  device.launch(kernel, {1, 1, 1}, {1, 1, 1}, 0, ring.start(), out.address(), static_cast<std::uint32_t>(count));
  return device.launch(kernel, {1, 1, 1}, {1, 1, 1}, 0, ring.start(), out.address(), steps);
}

/// Begins a launch in stream 0; whoever asks whether that is idle makes time pass.
template <typename... Arguments>
void launch_async(runtime::Device& device, const runtime::Kernel& kernel, Dim3 grid, Dim3 block,
                  const Arguments&... arguments) {
  const std::array<std::span<const std::byte>, sizeof...(Arguments)> bytes{
      std::as_bytes(std::span<const Arguments, 1>(&arguments, 1))...};
  device.launch_async(0, kernel, grid, block, 0, bytes);
}

inline double average_load_latency(const runtime::LaunchStatistics& launch) {
  return static_cast<double>(launch.counters.at("gpu.sm.load_latency")) /
         static_cast<double>(launch.counters.at("gpu.sm.loads"));
}

}  // namespace heddle::test
