// Programs that make no end: limits stop them, and somebody says what they wait for.
#include <chrono>

#include "gpu/parameters.h"
#include "kernel_bench.h"
#include "runtime/machine.h"

namespace heddle::runtime {
namespace {

constexpr std::string_view kForever = "L: add.u32 %r3, %r3, 1; st.volatile.global.u32 [%d1], %r3; bra L;";
constexpr std::string_view kWaits =
    "L: ld.volatile.global.u32 %r3, [%d0]; setp.eq.u32 %p0, %r3, 0; @%p0 bra L; add.u32 %r3, %r3, %r0; "
    "st.volatile.global.u32 [%d1+128], %r3;";

std::shared_ptr<const gpu::GpuParameters> one_sm(bool timed) {
  if (!timed) return nullptr;
  auto gpu = std::make_shared<gpu::GpuParameters>();
  gpu->set_text("sms", "1");
  return gpu;
}

class Limit : public testing::TestWithParam<bool> {};

TEST_P(Limit, OfInstructionsStopsAllLaunchesTogether) {
  Device::Options options;
  options.gpu = one_sm(GetParam());
  options.limits.warp_instructions = 100'000;
  Device device(options);
  const Module module = device.load(
      kernel_text("mov.u32 %r3, 0; L: add.u32 %r3, %r3, 1; setp.lt.u32 %p0, %r3, 10000; @%p0 bra L; st.global.u32 "
                  "[%d1], %r3;"),
      "test.ptx");
  const DeviceArray<std::uint32_t> out(device, 32);
  unsigned ended = 0;
  try {
    for (; ended < 10; ++ended) device.launch(module.kernel("k"), {1}, {32}, 0, out.address());
    FAIL();
  } catch (const LimitReached& limit) {
    const std::string text = limit.what();
    EXPECT_NE(text.find("100000 warp instructions (--limit-instructions)"), std::string::npos) << text;
    EXPECT_NE(text.find("kernel 'k'"), std::string::npos) << text;
  }
  // Some 30,000 instructions each; those that had ended are known.
  EXPECT_EQ(ended, 3u);
  EXPECT_EQ(device.launches().size(), 3u);
}

TEST_P(Limit, OfSecondsStopsAKernelThatMakesNoEnd) {
  Device::Options options;
  options.gpu = one_sm(GetParam());
  options.limits.host_seconds = 0.2;
  Device device(options);
  const Module module = device.load(kernel_text(kForever), "test.ptx");
  const DeviceArray<std::uint32_t> out(device, 32);
  EXPECT_THROW(device.launch(module.kernel("k"), {1}, {32}, 0, out.address()), LimitReached);
}

TEST_P(Limit, IsNotNeededToHearOfAKernelThatOnlyWaits) {
  MachineOptions options;
  options.gpu = one_sm(GetParam());
  options.limits.host_seconds = 20;
  std::string said;
  options.say = [&said](const std::string& text) { said += text; };
  options.progress = [&said](const Progress&) { return said.empty(); };
  Device device(std::make_shared<Machine>(options), {});
  const Module module = device.load(kernel_text(kWaits), "test.ptx");
  const DeviceArray<std::uint32_t> out(device, 128);
  EXPECT_THROW(device.launch(module.kernel("k"), {1}, {40}, 0, out.address()), Interrupted);
  EXPECT_NE(said.find("kernel 'k' does nothing but wait: 2 warps"), std::string::npos) << said;
  EXPECT_NE(said.find("lanes 0xffffffff of warp 0 of block (0, 0, 0) at test.ptx:4"), std::string::npos) << said;
}

INSTANTIATE_TEST_SUITE_P(On, Limit, testing::Bool(),
                         [](const auto& instance) { return instance.param ? "Timed" : "Functional"; });

TEST(Waiting, ForAnotherStreamLetsItRunWithoutTiming) {
  Device device;
  const Module waits = device.load(kernel_text(kWaits), "waits.ptx");
  const Module opens = device.load(kernel_text("st.volatile.global.u32 [%d0], 5;"), "opens.ptx");
  const DeviceArray<std::uint32_t> out(device, 64);
  const DeviceAddress address = out.address();
  const std::vector<std::span<const std::byte>> arguments{std::as_bytes(std::span(&address, 1))};
  const Stream one = device.create_stream();
  const Stream other = device.create_stream();
  device.launch_async(one, waits.kernel("k"), {1}, {32}, 0, arguments);
  EXPECT_FALSE(device.idle(one));
  device.launch_async(other, opens.kernel("k"), {1}, {1}, 0, arguments);
  device.synchronize();
  EXPECT_EQ(out.download()[32 + 7], 12u);
}

TEST(Waiting, ForTheHostLetsItGoOnWithoutTiming) {
  Device device;
  const Module waits = device.load(kernel_text(kWaits), "waits.ptx");
  const DeviceArray<std::uint32_t> out(device, 64);
  const DeviceAddress address = out.address();
  const std::vector<std::span<const std::byte>> arguments{std::as_bytes(std::span(&address, 1))};
  device.launch_async(0, waits.kernel("k"), {1}, {32}, 0, arguments);
  const std::uint32_t word = 9;
  device.copy_to_device(address, &word, sizeof(word));
  device.synchronize();
  EXPECT_EQ(out.download()[32 + 3], 12u);
}

}  // namespace
}  // namespace heddle::runtime
