// A block that an empty SM cannot take fails to launch, and the message says what is too much and by how much.
#include <gtest/gtest.h>

#include "small_gpu.h"

namespace heddle::test {
namespace {

constexpr const char* kPtx = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 D)
{
  .shared .align 4 .b8 tile[2048];
  .reg .b32 v;
  .reg .b64 d;
  ld.param.u64 d, [D];
  st.shared.u32 [tile], 1;
  ld.shared.u32 v, [tile];
  st.global.u32 [d], v;
  ret;
}
)";

/// What launching a block says; empty if it runs.
std::string refusal(const char* parameter, const char* value, unsigned threads = 256) {
  const auto gpu = small_gpu();
  gpu->set_text(parameter, value);
  runtime::Device::Options options;
  options.gpu = gpu;
  runtime::Device device(options);
  const runtime::Module module = device.load(kPtx, "fit.ptx");
  const runtime::DeviceArray<std::uint32_t> out(device, 1);
  try {
    device.launch(module.kernel("k"), {1, 1, 1}, {threads, 1, 1}, 0, out.address());
  } catch (const runtime::LaunchError& error) {
    EXPECT_EQ(error.cuda_error(), 701);
    EXPECT_EQ(error.cuda_name(), "cudaErrorLaunchOutOfResources");
    return error.what();
  }
  EXPECT_EQ(out.download()[0], 1u);
  return "";
}

void expect_refusal(const char* parameter, const char* value, const std::string& part, unsigned threads = 256) {
  const std::string text = refusal(parameter, value, threads);
  EXPECT_NE(text.find("kernel 'k': a block of " + std::to_string(threads) +
                      " x 1 x 1 threads does not fit on an SM of this GPU"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(BlockThatDoesNotFit, SaysByHowMuch) {
  expect_refusal("sm.shared_kib", "1",
                 "2048 bytes of shared memory, and an SM has 1024 (sm.shared_kib): 1024 too many");
  expect_refusal("sm.warps", "4", "8 warps, and an SM has 4 (sm.warps): 4 too many");
  expect_refusal("sm.registers", "1024", "registers, and an SM has 1024 (sm.registers): ", 1024);
}

TEST(BlockThatJustFits, Runs) {
  EXPECT_EQ(refusal("sm.shared_kib", "2"), "");
  EXPECT_EQ(refusal("sm.warps", "8"), "");
}

}  // namespace
}  // namespace heddle::test
