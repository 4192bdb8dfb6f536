// Checked runs: every write is followed to the reads that must see it.
#include <gtest/gtest.h>

#include "base/diagnostics.h"
#include "memory/line_checker.h"
#include "small_gpu.h"

namespace heddle::test {
namespace {

// Each thread adds its neighbour's value to its own, round after round: blocks write and read the same lines.
constexpr const char* kMix = R"(.version 7.0
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

const Changes kTlb{{"sm.mmu.kind", "tlb"}};

TEST(ACheckedRun, FindsNothingWrongWithWhatIsRight) {
  for (const Changes& changes : std::vector<Changes>{{},
                                                     {{"sm.l1.writes", "through"}},
                                                     {{"sm.l1.writes", "write-back"}},
                                                     {{"sm.l1.allocate", "on-fill"}},
                                                     {{"l2.slices", "3"}, {"l2.miss_latency", "40"}},
                                                     {{"l2.perfect", "true"}},
                                                     kTlb,
                                                     {{"sm.mmu.kind", "tlb"}, {"vm.frames.allocation", "scattered"}},
                                                     {{"sm.mmu.kind", "ideal"}}}) {
    for (const unsigned threads : {1u, 3u}) {
      SCOPED_TRACE(changes.empty() ? "as it is" : changes.front().first + " = " + changes.front().second);
      Checked run(changes, threads);
      for (const std::uint32_t step : {1u, 33u, 1000u}) ASSERT_NO_THROW(run.launch(step));
      EXPECT_GT(run.judged(), 10000u);
    }
  }
}

TEST(ACheckedRun, KeepsUpWithPagesThatMove) {
  Checked run(kTlb);
  run.launch(1);
  for (int i = 0; i < 3; ++i) {
    run.device().migrate(run.address(), 2 * 4096);
    run.device().evict(run.address() + 4096, 4096);
    ASSERT_NO_THROW(run.launch(7));
  }
}

TEST(ACheckedRun, SeesAPageThatMovedWithoutAShootdown) {
  // One block goes to the first SM, the next to the second.
  Checked run(kTlb);
  run.launch(1, 1);
  run.gpu().address_space(0)->migrate(vm::page_of(run.address()));
  run.launch(1, 2);  // these SMs find the new frame, and write there
  try {
    run.launch(1, 1);
    FAIL() << "the first SM still uses the old frame";
  } catch (const InvariantError& error) {
    EXPECT_NE(std::string(error.what()).find("stale data: in cycle"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace heddle::test
