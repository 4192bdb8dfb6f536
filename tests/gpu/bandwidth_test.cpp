// Streams reach the bandwidth that the parameters give each level, and not more.
#include <gtest/gtest.h>

#include "small_gpu.h"

namespace heddle::test {
namespace {

/// Every thread reads N words, a grid apart, and stores their sum.
constexpr const char* kStream = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry stream(.param .u64 A, .param .u64 D, .param .u32 N)
{
  .reg .pred p;
  .reg .b32 n, t, b, s, v, sum, step;
  .reg .b64 a, d, o, bytes;
  ld.param.u64 a, [A];
  ld.param.u64 d, [D];
  ld.param.u32 n, [N];
  mov.u32 t, %tid.x;
  mov.u32 b, %ctaid.x;
  mov.u32 s, %ntid.x;
  mad.lo.u32 t, b, s, t;
  mul.wide.u32 o, t, 4;
  add.u64 a, a, o;
  add.u64 d, d, o;
  mov.u32 step, %nctaid.x;
  mul.lo.u32 step, step, s;
  mul.wide.u32 bytes, step, 4;
  mov.u32 sum, 0;
AGAIN:
  ld.global.cg.u32 v, [a];
  add.u64 a, a, bytes;
  add.u32 sum, sum, v;
  sub.u32 n, n, 1;
  setp.ne.u32 p, n, 0;
  @p bra AGAIN;
  st.global.u32 [d], sum;
  ret;
}
)";

struct Rates {
  double network = 0;  ///< bytes per cycle into the SM
  double dram = 0;     ///< bytes per cycle from DRAM
};

Rates stream(const std::shared_ptr<gpu::GpuParameters>& gpu, std::uint32_t words, bool warm) {
  runtime::Device::Options options;
  options.gpu = gpu;
  runtime::Device device(options);
  const runtime::Module module = device.load(kStream, "stream.ptx");
  constexpr std::uint32_t kBlocks = 4;
  constexpr std::uint32_t kThreads = 256;
  const runtime::DeviceArray<std::uint32_t> in(device, std::size_t{kBlocks} * kThreads * words);
  const runtime::DeviceArray<std::uint32_t> out(device, std::size_t{kBlocks} * kThreads);
  runtime::LaunchStatistics launch;
  for (int pass = warm ? 0 : 1; pass < 2; ++pass) {
    launch = device.launch(module.kernel("stream"), {kBlocks, 1, 1}, {kThreads, 1, 1}, 0, in.address(), out.address(),
                           words);
  }
  const auto cycles = static_cast<double>(launch.cycles);
  return {static_cast<double>(launch.counters.at("gpu.sm.bytes_in")) / cycles,
          static_cast<double>(launch.counters.at("gpu.dram.reads")) * gpu->dram.burst_bytes() / cycles};
}

TEST(Bandwidth, AnSmReceivesWhatItsPortLetsThroughAndNotMore) {
  const auto gpu = small_gpu();
  gpu->set_text("l2.kib", "1024");
  gpu->set_text("l2.banks", "4");
  gpu->set_text("sm.l1.mshrs", "256");
  // A line of 128 bytes and an 8-byte header take five cycles of a 32-byte port.
  const double peak = 128.0 / 5;
  const double reached = stream(gpu, 64, true).network;
  EXPECT_LE(reached, peak);
  EXPECT_GE(reached, 0.9 * peak);
}

TEST(Bandwidth, TwiceTheMissEntriesTwiceTheBandwidthWhileLatencyLimits) {
  const auto few = small_gpu();
  few->set_text("l2.kib", "1024");
  few->set_text("sm.l1.mshrs", "4");
  const auto more = small_gpu();
  more->set_text("l2.kib", "1024");
  more->set_text("sm.l1.mshrs", "8");
  const double a = stream(few, 64, true).network;
  const double b = stream(more, 64, true).network;
  EXPECT_NEAR(b / a, 2.0, 0.1);
}

TEST(Bandwidth, AStreamThroughDramReachesNearlyThePeakOfTheChannel) {
  const auto gpu = small_gpu();
  gpu->set_text("sms", "4");
  gpu->set_text("l2.banks", "4");
  gpu->set_text("l2.mshrs", "256");
  gpu->set_text("l2.dram_queue", "256");
  gpu->set_text("network.bytes_per_cycle", "128");
  gpu->set_text("sm.l1.mshrs", "256");
  gpu->set_text("dram.burst_cycles", "4");  // half the width, so that nothing else limits
  gpu->set_text("dram.tCCD_S", "4");
  gpu->set_text("dram.tCCD_L", "4");
  const double peak = static_cast<double>(gpu->dram.burst_bytes()) / gpu->dram.burst_cycles;
  const double reached = stream(gpu, 256, false).dram;
  EXPECT_LE(reached, peak);
  EXPECT_GE(reached, 0.85 * peak);
}

}  // namespace
}  // namespace heddle::test
