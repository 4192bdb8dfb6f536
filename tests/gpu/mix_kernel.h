// A kernel whose blocks write and read the same lines, on a small GPU in a checked run.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "memory/line_checker.h"
#include "small_gpu.h"

namespace heddle::test {

// Each thread adds its neighbour's value to its own, round after round: blocks write and read the same lines.
inline constexpr const char* kMix = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry mix(.param .u64 A, .param .u32 STEP, .param .u32 N)
{
  .reg .pred p;
  .reg .b32 t, b, n, i, j, k, step, rounds, x, y;
  .reg .b64 a, w, v;
  ld.param.u64 a, [A];
  ld.param.u32 step, [STEP];
  ld.param.u32 n, [N];
  mov.u32 t, %tid.x;
  mov.u32 b, %ctaid.x;
  mov.u32 k, %ntid.x;
  mad.lo.u32 i, b, k, t;
  mov.u32 rounds, 6;
AGAIN:
  add.u32 j, i, step;
  rem.u32 j, j, n;
  mul.wide.u32 w, i, 4;
  add.u64 w, w, a;
  mul.wide.u32 v, j, 4;
  add.u64 v, v, a;
  ld.global.u32 x, [w];
  ld.global.u32 y, [v];
  add.u32 x, x, y;
  st.global.u32 [w], x;
  ld.global.u32 x, [w];
  atom.global.add.u32 y, [v], x;
  mad.lo.u32 step, step, 5, 1;
  sub.u32 rounds, rounds, 1;
  setp.ne.u32 p, rounds, 0;
  @p bra AGAIN;
  ret;
}
)";

using Changes = std::vector<std::pair<std::string, std::string>>;

/// Small virtual caches behind a forward-backward table, beside which a host may do something.
inline const Changes kHostedMachine{{"l2.slices", "2"},
                                    {"l2.miss_latency", "40"},
                                    {"l2.sector_bytes", "128"},
                                    {"sm.mmu.kind", "after-l2"},
                                    {"sm.mmu.rw_synonyms", "replay"},
                                    {"sm.l1.writes", "through"},
                                    {"mmu.kind", "forward-backward"},
                                    {"mmu.latency", "20"},
                                    {"mmu.intake", "1"},
                                    {"mmu.tlb.entries", "4"},
                                    {"mmu.walker.walks", "4"},
                                    {"mmu.forward_backward.entries", "16"},
                                    {"mmu.forward_backward.ways", "4"},
                                    {"network.latency", "12"}};

class Checked {
 public:
  explicit Checked(const Changes& changes, unsigned threads = 1)
      : device_(options(changes, threads)),
        kernel_(device_.load(kMix, "mix.ptx").kernel("mix")),
        data_(device_, kWords) {
    data_.upload(std::vector<std::uint32_t>(kWords, 1));
  }
  void launch(std::uint32_t step, std::uint32_t blocks = kWords / 128) {
    device_.launch(kernel_, {blocks, 1, 1}, {128, 1, 1}, 0, data_.address(), step, static_cast<std::uint32_t>(kWords));
  }
  [[nodiscard]] gpu::Gpu& gpu() const { return *device_.gpu(); }
  [[nodiscard]] std::uint64_t address() const { return data_.address(); }
  [[nodiscard]] std::uint64_t judged() const { return device_.gpu()->checker()->judged(); }
  runtime::Device& device() { return device_; }

  static constexpr std::uint32_t kWords = 8192;  ///< eight pages

 private:
  static runtime::Device::Options options(const Changes& changes, unsigned threads) {
    const auto gpu = small_gpu();
    gpu->set_text("check_lines", "true");
    gpu->set_text("sms", "3");
    gpu->set_text("memory.partitions", "2");
    gpu->set_text("l2.kib", "4");  // so that lines are written back and fetched again
    gpu->set_text("l2.ways", "4");
    gpu->set_text("vm.check", "false");  // that would see a wrong translation before the data does
    for (const auto& [path, value] : changes) gpu->set_text(path, value);
    runtime::Device::Options options;
    options.gpu = gpu;
    options.threads = threads;
    return options;
  }
  runtime::Device device_;
  runtime::Kernel kernel_;
  runtime::DeviceArray<std::uint32_t> data_;
};

}  // namespace heddle::test
