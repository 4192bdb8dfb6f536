// Accesses of a warp to one place reach the L1 in their order, whatever a TLB lets go on under misses.
#include <gtest/gtest.h>

#include "base/diagnostics.h"
#include "small_gpu.h"

namespace heddle::test {
namespace {

// A store of which half the lanes miss the TLB, and a load of what the other half writes; then the same the other way
// round: a load that waits, and a store to what it reads.
constexpr const char* kHalves = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry halves(.param .u64 A, .param .u64 D)
{
  .reg .pred p;
  .reg .b32 t, x, y, z;
  .reg .b64 a, b, d, own, off;
  ld.param.u64 a, [A];
  ld.param.u64 d, [D];
  mov.u32 t, %tid.x;
  mul.wide.u32 off, t, 4;
  add.u64 b, a, off;
  add.u64 d, d, off;
  ld.global.u32 x, [b];
  add.u32 x, x, 1;
  setp.ge.u32 p, t, 16;
  mov.u64 own, b;
  @p add.u64 own, b, 65536;
  st.global.u32 [own], x;
  ld.global.u32 y, [b];
  @p add.u64 own, b, 131072;
  ld.global.u32 z, [own];
  mov.u32 x, 7;
  st.global.u32 [b], x;
  add.u32 y, y, z;
  st.global.u32 [d], y;
  ret;
}
)";

class AccessOrder : public ::testing::TestWithParam<const char*> {};

TEST_P(AccessOrder, IsKept) {
  const auto gpu = small_gpu();
  gpu->set_text("check_lines", "true");
  gpu->set_text("sm.mmu.kind", "tlb");
  gpu->set_text("sm.mmu.policy", GetParam());
  runtime::Device::Options options;
  options.gpu = gpu;
  runtime::Device device(options);
  constexpr std::size_t kWords = 3 * 65536 / 4;
  runtime::DeviceArray<std::uint32_t> data(device, kWords);
  runtime::DeviceArray<std::uint32_t> out(device, 32);
  data.upload(std::vector<std::uint32_t>(kWords, 1));
  device.launch(device.load(kHalves, "halves.ptx").kernel("halves"), {1, 1, 1}, {32, 1, 1}, 0, data.address(),
                out.address());
  const std::vector<std::uint32_t> result = out.download();
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(result[t], t < 16 ? 4u : 2u) << t;
}

INSTANTIATE_TEST_SUITE_P(Of, AccessOrder, testing::Values("blocking", "hit-under-miss", "overlap", "independent"),
                         [](const auto& of) {
                           std::string name = of.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace heddle::test
