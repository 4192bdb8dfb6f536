// Two pages that name the same bytes, and memory that kernels allocate: with and without address translation.
#include <gtest/gtest.h>

#include <algorithm>

#include "small_gpu.h"

namespace heddle::test {
namespace {

constexpr const char* kAdd = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry add(.param .u64 A, .param .u64 B, .param .u64 O)
{
  .reg .pred p;
  .reg .b32 t, b, i, v;
  .reg .b64 a, c, o, w;
  ld.param.u64 a, [A];
  ld.param.u64 c, [B];
  ld.param.u64 o, [O];
  mov.u32 t, %tid.x;
  mov.u32 b, %ctaid.x;
  mad.lo.u32 i, b, 32, t;
  mul.wide.u32 w, i, 4;
  add.u64 o, o, w;
  and.b32 b, b, 1;
  setp.eq.u32 p, b, 1;
  selp.u64 a, c, a, p;
  atom.global.add.u32 v, [a], 1;
  st.global.u32 [o], v;
  ret;
}
)";

constexpr std::uint32_t kGridBlocks = 32;

class Aliases {
 public:
  explicit Aliases(unsigned threads, const char* mmu = "none")
      : device_(options(threads, mmu)),
        kernel_(device_.load(kAdd, "add.ptx").kernel("add")),
        memory_(device_, 2 * 4096 / 4),
        out_(device_, kGridBlocks * 32) {
    device_.alias(memory_.address() + 4096, memory_.address(), 4096);
  }
  /// Half of the blocks add to the word by one of its names, half by the other.
  runtime::LaunchStatistics run() {
    return device_.launch(kernel_, {kGridBlocks, 1, 1}, {32, 1, 1}, 0, memory_.address(), memory_.address() + 4096,
                          out_.address());
  }
  /// One block adds to the word by the name that is so many bytes further.
  std::uint64_t misses_of_one_block(std::uint64_t offset) {
    const std::uint64_t name = memory_.address() + offset;
    return device_.launch(kernel_, {1, 1, 1}, {32, 1, 1}, 0, name, name, out_.address()).counters.at("gpu.l2.misses");
  }
  std::vector<std::uint32_t> seen() { return out_.download(); }

 private:
  static runtime::Device::Options options(unsigned threads, const char* mmu) {
    auto gpu = small_gpu();
    gpu->set_text("sms", "4");
    gpu->set_text("memory.partitions", "4");
    gpu->set_text("sm.mmu.kind", mmu);
    runtime::Device::Options options;
    options.gpu = gpu;
    options.threads = threads;
    return options;
  }
  runtime::Device device_;
  runtime::Kernel kernel_;
  runtime::DeviceArray<std::uint32_t> memory_;
  runtime::DeviceArray<std::uint32_t> out_;
};

TEST(AliasedPages, MeetAtOneLineOfTheL2) {
  for (const char* mmu : {"none", "ideal"}) {
    Aliases aliases(1, mmu);
    EXPECT_GT(aliases.misses_of_one_block(0), 0u) << mmu;
    EXPECT_EQ(aliases.misses_of_one_block(0), 0u) << mmu;
    EXPECT_EQ(aliases.misses_of_one_block(4096), 0u) << mmu << ": the other name of a line that is there";
  }
}

TEST(AliasedPages, CountAtomicsOfBothNamesInOneOrderForAnyNumberOfThreads) {
  Aliases one(1);
  const auto counters = one.run().counters;
  std::vector<std::uint32_t> sorted = one.seen();
  std::sort(sorted.begin(), sorted.end());
  for (std::uint32_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(sorted[i], i) << "each sees a count of its own";
  for (const unsigned threads : {2u, 3u}) {
    Aliases other(threads);
    EXPECT_EQ(other.run().counters, counters);
    EXPECT_EQ(other.seen(), one.seen());
  }
}

constexpr const char* kMalloc = R"(.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.visible .entry k(.param .u64 O, .param .u64 N)
{
  .reg .b32 t, v;
  .reg .b64 o, w, n, p;
  ld.param.u64 o, [O];
  ld.param.u64 n, [N];
  mov.u32 t, %tid.x;
  mul.wide.u32 w, t, 4;
  add.u64 o, o, w;
  { .param .b64 a; .param .b64 r; st.param.b64 [a], n; call (r), malloc, (a); ld.param.b64 p, [r]; }
  st.u32 [p], t;
  atom.add.u32 v, [p], 5;
  ld.u32 v, [p];
  st.global.u32 [o], v;
  { .param .b64 a; st.param.b64 [a], p; call free, (a); }
  ret;
}
)";

TEST(DeviceMalloc, GivesMemoryThatIsMapped) {
  for (const char* mmu : {"none", "ideal", "tlb"}) {
    auto gpu = small_gpu();
    gpu->set_text("sm.mmu.kind", mmu);
    gpu->set_text("vm.check", "true");
    runtime::Device::Options options;
    options.gpu = gpu;
    runtime::Device device(options);
    const runtime::Module module = device.load(kMalloc, "malloc.ptx");
    const runtime::DeviceArray<std::uint32_t> out(device, 32);
    for (int round = 0; round < 2; ++round) {
      device.launch(module.kernel("k"), {1, 1, 1}, {32, 1, 1}, 0, out.address(), std::uint64_t{5000});
      const std::vector<std::uint32_t> values = out.download();
      for (std::uint32_t t = 0; t < 32; ++t) EXPECT_EQ(values[t], t + 5) << mmu;
    }
  }
}

}  // namespace
}  // namespace heddle::test
