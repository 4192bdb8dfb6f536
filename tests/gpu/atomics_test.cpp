// Atomics and shuffles in a timed run: who sees what, and what they cost.
#include <gtest/gtest.h>

#include "small_gpu.h"

namespace heddle::test {
namespace {

TEST(Atomics, ABarrierWaitsForTheAtomicsOfTheWarpsThatMeetAtIt) {
  // Warp 0 counts; after the barrier warp 1 reads the count.
  constexpr const char* kPtx = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 A, .param .u64 D)
{
  .reg .pred p;
  .reg .b32 t, v;
  .reg .b64 a, d;
  ld.param.u64 a, [A];
  ld.param.u64 d, [D];
  mov.u32 t, %tid.x;
  setp.lt.u32 p, t, 32;
  @p red.global.add.u32 [a], 1;
  bar.sync 0;
  @p bra DONE;
  ld.global.cg.u32 v, [a];
  st.global.u32 [d], v;
DONE:
  ret;
}
)";
  runtime::Device::Options options;
  options.gpu = small_gpu();
  runtime::Device device(options);
  const runtime::Module module = device.load(kPtx, "barrier.ptx");
  runtime::DeviceArray<std::uint32_t> count(device, 1);
  runtime::DeviceArray<std::uint32_t> seen(device, 1);
  count.upload(std::vector<std::uint32_t>{0});
  seen.upload(std::vector<std::uint32_t>{~0u});
  device.launch(module.kernel("k"), {1, 1, 1}, {64, 1, 1}, 0, count.address(), seen.address());
  EXPECT_EQ(seen.download().at(0), 32u);
}

/// Cycles of eight warps that repeat `body` 200 times.
std::uint64_t cycles_of(const std::string& body, const char* address_interval = "2") {
  const std::string text = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u32 N)
{
  .reg .pred p;
  .reg .b32 n, t, v, w, x, y;
  .shared .align 4 .b8 s[4096];
  ld.param.u32 n, [N];
  mov.u32 t, s;
  mov.u32 v, %tid.x;
  and.b32 w, v, 31;
  shl.b32 w, w, 2;
  add.u32 w, w, t;
  mov.u32 x, 0;
  mov.u32 y, 0;
AGAIN:
)" + body + R"(
  sub.u32 n, n, 1;
  setp.ne.u32 p, n, 0;
  @p bra AGAIN;
  ret;
}
)";
  runtime::Device::Options options;
  options.gpu = [&] {
    auto gpu = small_gpu();
    gpu->set_text("sm.address_interval", address_interval);
    return gpu;
  }();
  runtime::Device device(options);
  const runtime::Module module = device.load(text, "cost.ptx");
  return device.launch(module.kernel("k"), {1, 1, 1}, {256, 1, 1}, 0, std::uint32_t{200}).cycles;
}

TEST(Atomics, SharedAtomicsToOneWordTakeAPassForEachLane) {
  const std::uint64_t apart = cycles_of("atom.shared.add.u32 x, [w], 1;\n");
  const std::uint64_t together = cycles_of("atom.shared.add.u32 x, [t], 1;\n");
  // 8 warps, 200 times, 32 passes instead of what address generation takes.
  EXPECT_GT(together, 8u * 200 * 32);
  EXPECT_LT(apart, 8u * 200 * 8);
}

TEST(Shuffles, TakeTheExchangeNetworkLikeSharedMemory) {
  // Twelve independent shuffles a round, whose results are used: eight warps need the network for 8 x 200 x 12
  // instructions of eight cycles each, more than it takes to issue a round.
  std::string body = "{ .reg .b32 s<12>;\n";
  std::string sum;
  for (int i = 0; i < 12; ++i) {
    const std::string n = std::to_string(i);
    body += "shfl.sync.bfly.b32 s" + n + ", v, " + n + ", 0x1f, 0xffffffff;\n";
    sum += "add.u32 y, y, s" + n + ";\n";
  }
  body += sum + "st.shared.u32 [w], y; }\n";
  EXPECT_GE(cycles_of(body, "8"), 8u * 200 * 12 * 8);
}

}  // namespace
}  // namespace heddle::test
