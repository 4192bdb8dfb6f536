// Where local memory lies: no two kernels or applications see each other's through the caches.
#include <gtest/gtest.h>

#include "runtime/machine.h"
#include "small_gpu.h"

namespace heddle::test {
namespace {

/// A kernel with an array of that many bytes per thread: stores to the word at [N] and loads it back.
std::string local_ptx(unsigned bytes, const std::string& store) {
  return R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 N, .param .u64 D)
{
  .local .align 4 .b8 array[)" +
         std::to_string(bytes) + R"(];
  .reg .b32 v;
  .reg .b64 a, n, d;
  mov.u64 a, array;
  ld.param.u64 n, [N];
  ld.param.u64 d, [D];
  add.u64 a, a, n;
  )" + store +
         R"(
  ld.local.u32 v, [a];
  st.global.u32 [d], v;
  ret;
}
)";
}

/// An application that reads or writes its local memory and says what of that missed the L2.
class Local {
 public:
  Local(const std::shared_ptr<runtime::Machine>& machine, unsigned bytes, const std::string& store = "")
      : device_(machine, {}), module_(device_.load(local_ptx(bytes, store), "local.ptx")), out_(device_, 1) {}

  std::uint64_t misses(std::uint64_t offset, unsigned threads) {
    return device_.launch(module_.kernel("k"), {1, 1, 1}, {threads, 1, 1}, 0, offset, out_.address())
        .counters.at("gpu.l2.misses");
  }
  /// Another kernel of the same application.
  void run(unsigned bytes, const std::string& store, unsigned threads) {
    const runtime::Module other = device_.load(local_ptx(bytes, store), "other.ptx");
    device_.launch(other.kernel("k"), {1, 1, 1}, {threads, 1, 1}, 0, std::uint64_t{0}, out_.address());
  }

 private:
  runtime::Device device_;
  runtime::Module module_;
  runtime::DeviceArray<std::uint32_t> out_;
};

std::shared_ptr<runtime::Machine> machine(unsigned applications, const char* mmu) {
  const auto gpu = small_gpu();
  gpu->set_text("sm.mmu.kind", mmu);
  runtime::MachineOptions options;
  options.gpu = gpu;
  options.applications = applications;
  return std::make_shared<runtime::Machine>(options);
}

TEST(LocalMemory, OfKernelsThatNeedDifferentSizesIsApart) {
  Local reader(machine(1, "none"), 512);
  (void)reader.misses(0, 32);  // brings code and parameters
  // Warp 1 of a kernel with 256 bytes per thread: were windows divided by the kernel's own size alone, its first word
  // would be where the other kernel's warp 0 has the word at 256.
  reader.run(256, "st.local.u32 [a], 1;", 64);
  EXPECT_EQ(reader.misses(256, 32), 1u);
  EXPECT_EQ(reader.misses(256, 32), 0u) << "the same kernel at the same place finds its line";
}

class LocalMemoryOfApplications : public testing::TestWithParam<const char*> {};

TEST_P(LocalMemoryOfApplications, IsApart) {
  const auto both = machine(2, GetParam());
  Local one(both, 512);
  Local two(both, 512);
  (void)one.misses(0, 32);
  (void)two.misses(0, 32);
  EXPECT_EQ(one.misses(256, 32), 1u);
  EXPECT_EQ(two.misses(256, 32), 1u);
  EXPECT_EQ(one.misses(256, 32), 0u);
  EXPECT_EQ(two.misses(256, 32), 0u);
}
INSTANTIATE_TEST_SUITE_P(Translation, LocalMemoryOfApplications, testing::Values("none", "ideal"));

}  // namespace
}  // namespace heddle::test
