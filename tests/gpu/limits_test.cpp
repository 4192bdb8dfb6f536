// Miss entries, credits, queues, ports and banks bind exactly where they are set.
#include <gtest/gtest.h>

#include "small_gpu.h"

namespace heddle::test {
namespace {

constexpr std::uint64_t kLines = 32;
using Counters = NamedCounters;

/// One warp; lane i works at A + i * stride. `body` is repeated N times. Memory is all zeros.
Counters run_body(const std::shared_ptr<gpu::GpuParameters>& gpu, const std::string& body, std::uint64_t stride,
                  std::uint32_t repeats) {
  const std::string text = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 A, .param .u64 S, .param .u32 N)
{
  .reg .pred p;
  .reg .b32 n, t;
  .reg .b64 a, s, v, o;
  ld.param.u64 a, [A];
  ld.param.u64 s, [S];
  ld.param.u32 n, [N];
  mov.u32 t, %tid.x;
  cvt.u64.u32 o, t;
  mul.lo.u64 o, o, s;
  add.u64 a, a, o;
AGAIN:
)" + body + R"(
  sub.u32 n, n, 1;
  setp.ne.u32 p, n, 0;
  @p bra AGAIN;
  ret;
}
)";
  runtime::Device::Options options;
  options.gpu = gpu;
  runtime::Device device(options);
  const runtime::Module module = device.load(text, "limits.ptx");
  runtime::DeviceArray<std::uint64_t> array(device, kLines * stride / 8);
  array.upload(std::vector<std::uint64_t>(kLines * stride / 8, 0));
  Counters counters;
  // The first launch brings code and data into the L2.
  for (int pass = 0; pass < 2; ++pass)
    counters = device.launch(module.kernel("k"), {1, 1, 1}, {32, 1, 1}, 0, array.address(), stride, repeats).counters;
  return counters;
}

/// A gather of 32 lines whose next round depends on it.
std::string gather(const std::string& load) { return load + " v, [a];\n add.u64 a, a, v;\n"; }

/// A GPU whose ports move any of the packets here in one cycle, so that nothing but latencies and limits counts.
std::shared_ptr<gpu::GpuParameters> wide_gpu() {
  auto gpu = small_gpu();
  gpu->set_text("network.bytes_per_cycle", "256");
  gpu->set_text("network.partition_bytes_per_cycle", "256");
  gpu->set_text("network.credits", "64");
  gpu->set_text("network.queue", "64");
  gpu->set_text("sm.l1.mshrs", "64");
  return gpu;
}

/// From the cycle the L1 sends a request to the cycle the answer is there, when the L2 has the line.
std::uint64_t round_trip(const gpu::GpuParameters& p) { return 2 + 2 * p.network.latency + p.l2.latency; }

class MissEntries : public testing::TestWithParam<unsigned> {};

TEST_P(MissEntries, LetExactlySoManyLinesBeOnTheirWay) {
  const unsigned entries = GetParam();
  const auto gpu = wide_gpu();
  gpu->set_text("sm.l1.mshrs", std::to_string(entries));
  const Counters c = run_body(gpu, gather("ld.global.cg.u64"), 128, 1);
  // One cycle to the load/store unit; then a group of lines, one per cycle, in every round trip.
  EXPECT_EQ(c.at("gpu.sm.load_latency"), 1 + kLines / entries * round_trip(*gpu) + entries - 1);
  const std::uint64_t waited = (kLines / entries - 1) * (round_trip(*gpu) - entries);
  EXPECT_EQ(c.at("gpu.sm.stall_miss_table"), waited);
}
INSTANTIATE_TEST_SUITE_P(Limits, MissEntries, testing::Values(1, 2, 4, 8, 16, 32));

class Credits : public testing::TestWithParam<unsigned> {};

TEST_P(Credits, LetExactlySoManyPacketsBeOnTheirWayToAPartition) {
  const unsigned credits = GetParam();
  const auto gpu = wide_gpu();
  gpu->set_text("network.credits", std::to_string(credits));
  const Counters c = run_body(gpu, gather("ld.global.cg.u64"), 128, 1);
  // A credit is back when the packet has crossed (a cycle in the port), was taken, and the credit has crossed.
  const std::uint64_t loop = 1 + 2 * gpu->network.latency;
  EXPECT_EQ(c.at("gpu.sm.load_latency"), 1 + (kLines / credits - 1) * loop + credits - 1 + round_trip(*gpu));
}
INSTANTIATE_TEST_SUITE_P(Limits, Credits, testing::Values(1, 2, 4, 8, 16));

class Queue : public testing::TestWithParam<unsigned> {};

TEST_P(Queue, HoldsExactlySoManyPacketsInFrontOfThePort) {
  const unsigned queue = GetParam();
  const auto gpu = wide_gpu();
  gpu->set_text("network.credits", "1");
  gpu->set_text("network.queue", std::to_string(queue));
  const Counters c = run_body(gpu, gather("ld.global.cg.u64"), 128, 1);
  // Packet i leaves i loops after the first; line i enters the queue the cycle after packet i - queue has left.
  const std::uint64_t loop = 1 + 2 * gpu->network.latency;
  const std::uint64_t last_enters = (kLines - 1 - queue) * loop + 1;
  EXPECT_EQ(c.at("gpu.sm.stall_network"), last_enters - (kLines - 1));
}
INSTANTIATE_TEST_SUITE_P(Limits, Queue, testing::Values(1, 3, 8));

/// Cycles of a gather that hits the L1: what the second round costs.
std::uint64_t hit_latency(const std::shared_ptr<gpu::GpuParameters>& gpu, std::uint64_t stride) {
  const auto rounds = [&](std::uint32_t n) { return run_body(gpu, gather("ld.global.u64"), stride, n); };
  return rounds(3).at("gpu.sm.load_latency") - rounds(2).at("gpu.sm.load_latency");
}

TEST(L1Ports, LookUpExactlySoManyLinesPerCycle) {
  for (const unsigned ports : {1u, 2u, 8u, 32u}) {
    const auto gpu = wide_gpu();
    gpu->set_text("sm.l1.ports", std::to_string(ports));
    EXPECT_EQ(hit_latency(gpu, 128), 1 + kLines / ports - 1 + gpu->sm.l1.latency) << ports;
  }
}

TEST(Collectors, ReadTheOperandsOfMemoryInstructionsToo) {
  const auto conflicts = [](const std::string& body) {
    const auto gpu = small_gpu();
    gpu->set_text("sm.register_banks", "1");
    return run_body(gpu, body, 128, 8).at("gpu.sm.bank_conflicts");
  };
  // Eight stores that read two registers more, all out of one bank.
  EXPECT_GE(conflicts("st.global.u64 [a], s;\n"), conflicts("st.global.u64 [a], a;\n") + 8);
}

TEST(L1Banks, ServeOneLineEachPerCycle) {
  for (const unsigned banks : {2u, 4u, 16u}) {
    const auto gpu = wide_gpu();
    gpu->set_text("sm.l1.kib", "64");
    gpu->set_text("sm.l1.ports", "32");
    gpu->set_text("sm.l1.banks", std::to_string(banks));
    EXPECT_EQ(hit_latency(gpu, 128), kLines / banks + gpu->sm.l1.latency) << "consecutive lines, " << banks;
    // Every second line uses every second bank; lines `banks` apart are all in one.
    EXPECT_EQ(hit_latency(gpu, 256), kLines / (banks / 2) + gpu->sm.l1.latency) << "every second line, " << banks;
    EXPECT_EQ(hit_latency(gpu, std::uint64_t{banks} * 128), kLines + gpu->sm.l1.latency) << "one bank, " << banks;
  }
}

/// Load latency of a gather of so many lines, `stride` bytes apart.
std::uint64_t gather_latency(const std::shared_ptr<gpu::GpuParameters>& gpu, std::uint64_t lanes,
                             std::uint64_t stride) {
  const std::string body = "setp.ge.u32 p, t, " + std::to_string(lanes) + ";\n @p exit;\n" + gather("ld.global.cg.u64");
  return run_body(gpu, body, stride, 1).at("gpu.sm.load_latency");
}

TEST(L2MissEntries, OneEntryMeansOneMissAtATime) {
  const auto gpu = wide_gpu();
  gpu->set_text("l2.kib", "1");  // eight lines: nothing is left from one launch to the next
  gpu->set_text("l2.ways", "1");
  gpu->set_text("l2.miss_latency", "100");
  gpu->set_text("dram.row_policy", "closed");
  const auto latency = [&](const char* entries, std::uint64_t lanes) {
    gpu->set_text("l2.mshrs", entries);
    return gather_latency(gpu, lanes, 16384);
  };
  const std::uint64_t sixteen = latency("1", 16);
  const std::uint64_t each = (latency("1", 24) - sixteen) / 8;
  EXPECT_EQ(latency("1", 24), sixteen + 8 * each);
  EXPECT_EQ(latency("1", 32), sixteen + 16 * each);
  // To DRAM and back, a closed row, and a few cycles of queues in between.
  const std::uint64_t dram = 100 + gpu->dram.tRCD_read + gpu->dram.tCL + gpu->dram.burst_cycles;
  EXPECT_GE(each, dram);
  EXPECT_LE(each, dram + 6);
  // Twice the entries, half the time, but for the bank that both meet in and the ends.
  EXPECT_NEAR(static_cast<double>(latency("2", 32)), static_cast<double>(latency("1", 32)) / 2,
              3.2 * static_cast<double>(each));
}

TEST(L2Banks, ServeOneRequestEachPerCycleOfTheirClock) {
  const auto gpu = wide_gpu();
  gpu->set_text("l2.clock_mhz", "250");  // requests come four times as fast as a bank works
  gpu->set_text("l2.banks", "4");
  const auto per_line = [&](std::uint64_t stride) {
    return static_cast<double>(gather_latency(gpu, 32, stride) - gather_latency(gpu, 16, stride)) / 16;
  };
  EXPECT_EQ(per_line(128), 1) << "consecutive lines: four banks";
  EXPECT_EQ(per_line(256), 2) << "every second line: two banks";
  EXPECT_EQ(per_line(512), 4) << "one bank";
  gpu->set_text("l2.banks", "1");
  EXPECT_EQ(per_line(128), 4) << "there is only one";
}

TEST(PartitionPort, SendsExactlySoManyBytesPerCycle) {
  for (const unsigned width : {8u, 16u, 40u, 64u}) {
    const auto gpu = wide_gpu();
    gpu->set_text("network.partition_bytes_per_cycle", std::to_string(width));
    const std::uint64_t packet = (32 + gpu->network.header_bytes + width - 1) / width;  // a sector and its header
    EXPECT_EQ(gather_latency(gpu, 32, 128) - gather_latency(gpu, 16, 128), 16 * packet) << width;
  }
}

TEST(L2Merges, ExactlySoManyRequestsWaitForOneLine) {
  for (const unsigned merges : {1u, 2u, 3u, 4u, 8u}) {
    const auto gpu = wide_gpu();
    gpu->set_text("sms", "4");
    gpu->set_text("l2.mshr_merges", std::to_string(merges));
    gpu->set_text("l2.miss_latency", "300");  // all four ask before the first has its line
    runtime::Device::Options options;
    options.gpu = gpu;
    runtime::Device device(options);
    const runtime::Module module = device.load(chase_ptx("ld.global.cg.u64"), "merges.ptx");
    const Ring other(device, 1, 128);
    const runtime::DeviceArray<std::uint64_t> out(device, 1);
    const auto run = [&](const Ring& ring) {
      return device
          .launch(module.kernel("chase"), {4, 1, 1}, {1, 1, 1}, 0, ring.start(), out.address(), std::uint32_t{1})
          .counters;
    };
    run(other);  // brings the code
    const Ring ring(device, 1, 128);
    const Counters c = run(ring);
    const unsigned waiting = std::min(merges, 4u);
    EXPECT_EQ(c.at("gpu.l2.misses"), waiting) << merges;
    EXPECT_EQ(c.at("gpu.l2.merged"), waiting - 1) << merges;
    EXPECT_EQ(c.at("gpu.l2.stall_merge") > 0, merges < 4) << merges;
  }
}

TEST(WriteBackL1, SendsEachLineOnceHoweverOftenItIsStored) {
  const auto stores = [](const char* policy, const std::string& fence) {
    const auto gpu = wide_gpu();
    gpu->set_text("sm.l1.writes", policy);
    const Counters c = run_body(gpu, "st.global.u64 [a], 0;\n" + fence, 128, 5);
    EXPECT_EQ(c.at("gpu.sm.stores"), c.at("gpu.l2.writes"));
    return c.at("gpu.l2.writes");
  };
  EXPECT_EQ(stores("through", ""), 5 * kLines);
  EXPECT_EQ(stores("evict", ""), 5 * kLines);
  EXPECT_EQ(stores("write-back", ""), kLines) << "at the end of the kernel";
  EXPECT_EQ(stores("write-back", "membar.cta;\n"), kLines) << "a fence within the block needs nothing beyond the L1";
  EXPECT_EQ(stores("write-back", "membar.gl;\n"), 5 * kLines) << "a fence for the whole GPU writes back";
}

TEST(WriteBackL1, AFenceCostsOneCyclePerDirtyLineAndARoundTrip) {
  const auto cycles = [](std::uint64_t lanes) {
    const auto gpu = wide_gpu();
    gpu->set_text("sm.l1.writes", "write-back");
    const std::string body =
        "setp.lt.u32 p, t, " + std::to_string(lanes) + ";\n @p st.global.u64 [a], 0;\n membar.gl;\n";
    const auto slots = [&](std::uint32_t n) { return run_body(gpu, body, 128, n).at("gpu.sm.slot_barrier"); };
    return (slots(9) - slots(5)) / 4;
  };
  // Each line enters the L1 in a cycle of its own and leaves in another.
  EXPECT_EQ(cycles(24) - cycles(8), 2 * 16u);
}

}  // namespace
}  // namespace heddle::test
