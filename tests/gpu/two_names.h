// Two pages that name one frame, and a kernel that uses both names, in a checked run.
#pragma once

#include "memory/line_checker.h"
#include "small_gpu.h"

namespace heddle::test {

/// Reads a word by its first name and by its second, then writes it by the one that W says.
inline constexpr const char* kNames = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry names(.param .u64 A, .param .u64 B, .param .u64 W, .param .u64 O)
{
  .reg .b32 x, y, z, v;
  .reg .b64 a, b, w, o;
  ld.param.u64 a, [A];
  ld.param.u64 b, [B];
  ld.param.u64 w, [W];
  ld.param.u64 o, [O];
  ld.global.u32 x, [a];
  ld.global.u32 y, [b];
  add.u32 z, x, y;
  add.u32 z, z, 1;
  st.global.u32 [w], z;
  ld.global.u32 v, [a];
  ld.global.u32 y, [b];
  add.u32 v, v, y;
  st.global.u32 [o], v;
  ret;
}
)";

class TwoNames {
 public:
  explicit TwoNames(const std::shared_ptr<gpu::GpuParameters>& gpu)
      : device_(options(gpu)),
        kernel_(device_.load(kNames, "names.ptx").kernel("names")),
        memory_(device_, 4 * 1024),
        out_(device_, 1024) {
    memory_.upload(std::vector<std::uint32_t>(4 * 1024, 5));
    device_.alias(name(1), name(0), 4096);
  }
  [[nodiscard]] std::uint64_t name(unsigned page) const { return memory_.address() + page * 4096; }
  runtime::LaunchStatistics run(std::uint64_t written) {
    return device_.launch(kernel_, {1, 1, 1}, {1, 1, 1}, 0, name(0), name(1), written, out_.address());
  }

 private:
  static runtime::Device::Options options(const std::shared_ptr<gpu::GpuParameters>& gpu) {
    runtime::Device::Options options;
    gpu->set_text("check_lines", "true");
    gpu->set_text("sm.mmu.tlb.entries", "64");
    options.gpu = gpu;
    return options;
  }
  runtime::Device device_;
  runtime::Kernel kernel_;
  runtime::DeviceArray<std::uint32_t> memory_;
  runtime::DeviceArray<std::uint32_t> out_;
};

}  // namespace heddle::test
