// Litmus tests: what threads of different warps may see of each other's stores, with every coalescer, in checked runs.
#include <gtest/gtest.h>

#include "core/parameters.h"
#include "small_gpu.h"

namespace heddle::test {
namespace {

/// Two threads of different warps, each with its own test's words at A: thread 0 runs `first`, thread 32 `second`; both
/// leave r in D.
std::vector<std::uint32_t> outcome(const std::string& coalescer, const std::string& first, const std::string& second,
                                   unsigned threads) {
  const std::string text = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry litmus(.param .u64 A, .param .u64 D)
{
  .reg .pred p, q;
  .reg .b32 t, r, s, b;
  .reg .b64 a, d, o;
  ld.param.u64 a, [A];
  ld.param.u64 d, [D];
  mov.u32 t, %tid.x;
  mov.u32 b, %ctaid.x;
  mul.wide.u32 o, b, 512;
  add.u64 a, a, o;
  mul.wide.u32 o, b, 8;
  add.u64 d, d, o;
  mov.u32 r, 0;
  setp.eq.u32 p, t, 0;
  @p bra FIRST;
  setp.eq.u32 q, t, 32;
  @!q exit;
)" + second + R"(
  st.global.u32 [d+4], r;
  exit;
FIRST:
)" + first + R"(
  st.global.u32 [d], r;
  exit;
}
)";
  const auto gpu = small_gpu();
  gpu->set_text("sms", "2");
  gpu->set_text("sm.coalescer", coalescer);
  gpu->set_text("check_lines", "true");
  runtime::Device::Options options;
  options.gpu = gpu;
  options.threads = threads;
  runtime::Device device(options);
  const runtime::Module module = device.load(text, "litmus.ptx");
  constexpr std::uint32_t kBlocks = 24;
  runtime::DeviceArray<std::uint32_t> words(device, kBlocks * 128);
  words.upload(std::vector<std::uint32_t>(std::size_t{kBlocks} * 128, 0));
  const runtime::DeviceArray<std::uint32_t> out(device, std::size_t{kBlocks} * 2);
  device.launch(module.kernel("litmus"), {kBlocks, 1, 1}, {64, 1, 1}, 0, words.address(), out.address());
  return out.download();
}

class Litmus : public testing::TestWithParam<std::string> {};

TEST_P(Litmus, MessagePassing) {
  // Who sees the flag sees the message, in a line of its own or in the flag's.
  for (const char* where : {"256", "4"}) {
    const std::string at = where;
    for (const unsigned threads : {1u, 3u}) {
      const auto seen =
          outcome(GetParam(), "st.global.u32 [a+" + at + "], 7; membar.gl; st.volatile.global.u32 [a], 1;",
                  "WAIT: ld.volatile.global.u32 s, [a]; setp.eq.u32 p, s, 0; @p bra WAIT; membar.gl; "
                  "ld.volatile.global.u32 r, [a+" +
                      at + "];",
                  threads);
      for (std::size_t block = 0; block < seen.size() / 2; ++block) EXPECT_EQ(seen[2 * block + 1], 7u) << block;
    }
  }
}

TEST_P(Litmus, StoreBuffering) {
  // Each stores its own word and reads the other's: with fences between, one of them sees the other's store.
  const auto side = [](const char* own, const char* other) {
    return std::string("st.volatile.global.u32 [a+") + own + "], 1; membar.gl; ld.volatile.global.u32 r, [a+" + other +
           "];";
  };
  const auto seen = outcome(GetParam(), side("0", "128"), side("128", "0"), 2);
  for (std::size_t block = 0; block < seen.size() / 2; ++block)
    EXPECT_TRUE(seen[2 * block] == 1 || seen[2 * block + 1] == 1) << block;
}

TEST_P(Litmus, OneThreadSeesItsOwnStores) {
  const auto seen = outcome(GetParam(),
                            "ld.global.u32 s, [a+8]; st.global.u32 [a+8], 3; ld.global.u32 r, [a+8]; add.u32 r, r, 1; "
                            "st.global.u32 [a+8], r; ld.global.u32 r, [a+8];",
                            "mov.u32 r, 9;", 1);
  for (std::size_t block = 0; block < seen.size() / 2; ++block) EXPECT_EQ(seen[2 * block], 4u) << block;
}

INSTANTIATE_TEST_SUITE_P(With, Litmus, testing::Values("intra", "mrpb", "warppool"),
                         [](const auto& of) { return of.param; });

}  // namespace
}  // namespace heddle::test
