// Kinds of operand storage in a whole GPU: programs compute what they should, and values are where the hardware says.
#include <gtest/gtest.h>

#include "base/diagnostics.h"
#include "small_gpu.h"
#include "workloads/workload.h"

namespace heddle::test {
namespace {

using OperandSettings = std::vector<std::pair<std::string, std::string>>;
using OperandCounters = std::map<std::string, std::uint64_t>;

runtime::Device::Options operand_machine(const OperandSettings& settings, unsigned threads = 1) {
  auto gpu = std::make_shared<gpu::GpuParameters>();
  gpu->set_text("sms", "2");
  gpu->set_text("sm.divergence", "stack");
  for (const auto& [path, value] : settings) gpu->set_text(path, value);
  runtime::Device::Options options;
  options.gpu = gpu;
  options.threads = threads;
  return options;
}

OperandCounters run_with(std::string_view name, const OperandSettings& settings, unsigned threads = 1) {
  runtime::Device device(operand_machine(settings, threads));
  const workloads::Workload& workload = *workloads::find(name);
  workloads::Request request;
  request.elements = workload.sizes().front().elements;
  EXPECT_TRUE(workload.run(device, request).passed) << name;
  return sim::totals(device.gpu()->statistics());
}

/// So small that registers go to memory and come back.
OperandSettings scarce_regless() {
  return {{"sm.operands", "regless"},
          {"sm.regless.entries", "64"},
          {"sm.regless.compressor_lines", "2"},
          {"check_lines", "true"}};
}

constexpr std::array kSome{"backprop", "bfs", "heartwall", "hotspot", "lud", "srad_v2"};

TEST(OperandStorage, EveryKindRunsProgramsRight) {
  for (const std::string& kind : core::OperandStorageRegistry::instance().names()) {
    if (kind.starts_with("test-")) continue;
    for (const std::string_view name : kSome) {
      SCOPED_TRACE(kind + " " + std::string(name));
      (void)run_with(name, {{"sm.operands", kind}, {"check_lines", "true"}});
    }
  }
}

TEST(RegLess, ValuesComeBackFromMemoryAsTheyWere) {
  // Reads of registers are compared with what the program wrote; they came through the compressor and the L1.
  std::uint64_t compressed = 0;
  std::uint64_t whole = 0;
  for (const std::string_view name : kSome) {
    SCOPED_TRACE(name);
    const OperandCounters c = run_with(name, scarce_regless());
    compressed += c.at("gpu.sm.regless.preloads_compressor");
    whole += c.at("gpu.sm.regless.preloads_l1");
    EXPECT_EQ(c.at("gpu.sm.regless.preloads"),
              c.at("gpu.sm.regless.preloads_staged") + c.at("gpu.sm.regless.preloads_buffer") +
                  c.at("gpu.sm.regless.preloads_empty") + c.at("gpu.sm.regless.preloads_compressor") +
                  c.at("gpu.sm.regless.preloads_l1") + c.at("gpu.sm.regless.preloads_l2"));
  }
  EXPECT_GT(compressed, 1000u);
  EXPECT_GT(whole, 1000u);
}

TEST(RegLess, GivesTheSameAnswerForAnyNumberOfThreads) {
  EXPECT_EQ(run_with("hotspot", scarce_regless(), 1), run_with("hotspot", scarce_regless(), 3));
}

TEST(RegLess, WithoutACompressorEverythingGoesThroughTheL1) {
  OperandSettings settings = scarce_regless();
  settings.emplace_back("sm.regless.compressor", "false");
  const OperandCounters c = run_with("hotspot", settings);
  EXPECT_EQ(c.at("gpu.sm.regless.preloads_compressor"), 0u);
  EXPECT_EQ(c.at("gpu.sm.regless.compressor_accesses"), 0u);
  EXPECT_LE(c.at("gpu.sm.regless.l1_stores") + c.at("gpu.sm.regless.preloads_buffer"),
            c.at("gpu.sm.regless.evictions"));
  EXPECT_GT(c.at("gpu.sm.regless.l1_stores"), 0u);
}

TEST(RegLess, NeedsNoL1WhenEverythingFits) {
  const OperandCounters c = run_with("hotspot", {{"sm.operands", "regless"}, {"sm.regless.entries", "4096"}});
  EXPECT_EQ(c.at("gpu.sm.regless.evictions"), 0u);
  EXPECT_EQ(c.at("gpu.sm.regless.l1_loads") + c.at("gpu.sm.regless.l1_stores") + c.at("gpu.sm.regless.l1_drops"), 0u);
  EXPECT_GT(c.at("gpu.sm.regless.preloads_staged"), 0u);
}

/// Lanes leave the loop one after the other; each keeps the value of its last round.
constexpr std::string_view kLeavesLoop = R"(.version 7.0
.target sm_50
.address_size 64
.visible .entry rounds(.param .u64 out)
{
  .reg .pred p;
  .reg .b32 lane, n, value;
  .reg .b64 a, o;
  mov.u32 lane, %tid.x;
  and.b32 n, lane, 31;
  ld.param.u64 a, [out];
AGAIN:
  mad.lo.u32 value, n, 7, lane;
  sub.s32 n, n, 3;
  bar.warp.sync 0xffffffff;
  setp.gt.s32 p, n, 0;
  @p bra AGAIN;
  mul.wide.u32 o, lane, 4;
  add.u64 a, a, o;
  st.global.u32 [a], value;
  ret;
}
)";

TEST(RegLess, NumbersSpreadOverBanksMeanFewerConflictsAndTheSameResults) {
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  for (const std::string_view name : kSome) {
    SCOPED_TRACE(name);
    OperandSettings settings = scarce_regless();
    before += run_with(name, settings).at("gpu.sm.regless.static_conflicts");
    settings.emplace_back("compiler.spread_banks", "true");
    after += run_with(name, settings).at("gpu.sm.regless.static_conflicts");
  }
  EXPECT_LT(after, before / 3);
}

TEST(RegLess, RegistersThatHaveTheL1FirstNeverWaitForItsPort) {
  const OperandCounters data = run_with("hotspot", scarce_regless());
  OperandSettings settings = scarce_regless();
  settings.emplace_back("sm.regless.l1_first", "registers");
  const OperandCounters first = run_with("hotspot", settings);
  EXPECT_EQ(data.at("gpu.sm.stall_registers"), 0u);
  EXPECT_GT(first.at("gpu.sm.stall_registers"), 0u);
  EXPECT_LT(first.at("gpu.sm.regless.l1_waits"), data.at("gpu.sm.regless.l1_waits"));
  EXPECT_EQ(first, run_with("hotspot", settings, 3)) << "for any number of threads";
}

TEST(RegLess, AWrongMarkIsFound) {
  for (const std::string soft : {"hidden", "printed"}) {
    runtime::Device device(operand_machine({{"sm.operands", "regless"},
                                            {"sm.regless.entries", "64"},
                                            {"check_lines", "true"},
                                            {"sm.regless.soft", soft}}));
    const runtime::Module module = device.load(kLeavesLoop, "rounds.ptx");
    const runtime::DeviceArray<std::uint32_t> out(device, 1024);
    const auto launch = [&] { device.launch(module.kernel("rounds"), {1, 1, 1}, {1024, 1, 1}, 0, out.address()); };
    if (soft == "hidden") {
      EXPECT_NO_THROW(launch());
    } else {
      // Algorithm 2 as printed does not see lanes that have left a loop: their values are lost.
      EXPECT_THROW(launch(), InvariantError);
    }
  }
}

/// Lanes of one warp take a lock in turn, which lanes that wait for each other cannot. What each computes outside goes
/// on while others wait.
constexpr std::string_view kTurns = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry turns(.param .u64 lock, .param .u64 out)
{
  .reg .pred p, q;
  .reg .b32 lane, old, mine, sum, n, x<8>;
  .reg .b64 l, o, a;
  mov.u32 lane, %tid.x;
  ld.param.u64 l, [lock];
  ld.param.u64 o, [out];
  mul.wide.u32 a, lane, 4;
  add.u64 a, o, a;
  mul.lo.u32 mine, lane, 3;
  and.b32 n, lane, 7;
  mov.u32 sum, 0;
WAIT:
  atom.global.cas.b32 old, [l], 0, 1;
  setp.ne.u32 p, old, 0;
  @p bra WAIT;
  mul.lo.u32 x0, mine, 7;
  mul.lo.u32 x1, mine, 11;
  mad.lo.u32 x2, x0, x1, mine;
  add.u32 sum, sum, x2;
  membar.gl;
  atom.global.exch.b32 old, [l], 0;
  sub.s32 n, n, 1;
  setp.ge.s32 q, n, 0;
  @q bra WAIT;
  add.u32 sum, sum, mine;
  st.global.u32 [a], sum;
  ret;
}
)";

/// Two parts of a warp come to barriers of the whole warp in different places, with values before and behind.
constexpr std::string_view kMeets = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry meets(.param .u64 out)
{
  .reg .pred p;
  .reg .b32 lane, x<8>;
  .reg .b64 o, a;
  mov.u32 lane, %tid.x;
  ld.param.u64 o, [out];
  mul.wide.u32 a, lane, 4;
  add.u64 a, o, a;
  and.b32 x0, lane, 1;
  setp.eq.u32 p, x0, 0;
  @p bra EVEN;
  mul.lo.u32 x1, lane, 5;
  add.u32 x2, x1, 1;
  bar.warp.sync 0xffffffff;
  mad.lo.u32 x3, x1, x2, lane;
  bar.warp.sync 0xffffffff;
  add.u32 x4, x3, x2;
  bra END;
EVEN:
  mul.lo.u32 x5, lane, 9;
  bar.warp.sync 0xffffffff;
  mad.lo.u32 x4, x5, x5, lane;
  add.u32 x6, x4, x5;
  bar.warp.sync 0xffffffff;
  add.u32 x4, x4, x6;
END:
  st.global.u32 [a], x4;
  ret;
}
)";

OperandSettings independent_regless() {
  OperandSettings settings = scarce_regless();
  settings.emplace_back("sm.divergence", "independent");
  return settings;
}

TEST(RegLess, RunsThreadsThatAreScheduledIndependently) {
  for (const std::string_view name : kSome) {
    SCOPED_TRACE(name);
    const OperandCounters c = run_with(name, independent_regless());
    EXPECT_GT(c.at("gpu.sm.regless.regions"), 0u);
  }
  EXPECT_EQ(run_with("bfs", independent_regless()), run_with("bfs", independent_regless(), 3));
}

TEST(RegLess, LanesThatWaitForALockKeepTheirRegistersWhileOthersRun) {
  runtime::Device device(operand_machine(independent_regless()));
  const runtime::Module module = device.load(kTurns, "turns.ptx");
  runtime::DeviceArray<std::uint32_t> lock(device, 1);
  const runtime::DeviceArray<std::uint32_t> out(device, 256);
  lock.upload(std::vector<std::uint32_t>{0});
  device.launch(module.kernel("turns"), {1, 1, 1}, {256, 1, 1}, 0, lock.address(), out.address());
  const std::vector<std::uint32_t> sums = out.download();
  for (std::uint32_t lane = 0; lane < 256; ++lane) {
    const std::uint32_t mine = lane * 3;
    EXPECT_EQ(sums[lane], (lane % 8 + 1) * (mine * 7 * (mine * 11) + mine) + mine) << lane;
  }
  EXPECT_GT(sim::totals(device.gpu()->statistics()).at("gpu.sm.independent.turns"), 0u);
}

TEST(RegLess, LanesGiveWayWhereTheyMeetOthers) {
  runtime::Device device(operand_machine(independent_regless()));
  const runtime::Module module = device.load(kMeets, "meets.ptx");
  const runtime::DeviceArray<std::uint32_t> out(device, 1024);
  device.launch(module.kernel("meets"), {1, 1, 1}, {1024, 1, 1}, 0, out.address());
  const std::vector<std::uint32_t> values = out.download();
  for (std::uint32_t lane = 0; lane < 1024; ++lane) {
    const std::uint32_t x1 = lane * 5;
    const std::uint32_t x5 = lane * 9;
    const std::uint32_t odd = x1 * (x1 + 1) + lane + x1 + 1;
    const std::uint32_t even = 2 * (x5 * x5 + lane) + x5;
    EXPECT_EQ(values[lane], lane % 2 == 0 ? even : odd) << lane;
  }
  EXPECT_GE(sim::totals(device.gpu()->statistics()).at("gpu.sm.regless.regions_left"), 32u);
}

TEST(RegLess, SaysWhatItCannotBeCombinedWith) {
  for (const auto& [settings, word] : std::vector<std::pair<OperandSettings, std::string>>{
           {{{"sm.operands", "regless"}, {"sm.divergence", "tbc"}}, "lanes of several"},
           {{{"sm.operands", "regless"}, {"sm.divergence", "independent"}, {"sm.regless.soft", "printed"}},
            "sm.divergence = stack"},
           {{{"sm.operands", "rfv"}, {"sm.divergence", "independent"}}, "sm.divergence = stack"},
           {{{"sm.operands", "rfv"}, {"sm.divergence", "tbc"}}, "sm.divergence = stack"},
           {{{"sm.operands", "regless"}, {"sm.regless.entries", "100"}}, "must be a multiple of"},
           {{{"sm.operands", "spill"}, {"sm.spill.entries", "256"}, {"sm.warps", "64"}}, "gets 4 registers"},
           {{{"sm.operands", "spill"}, {"sm.spill.share", "64"}, {"sm.spill.entries", "32"}}, "there are 32 registers"},
           {{{"sm.operands", "regless"}, {"sm.l1.line_bytes", "64"}, {"l2.line_bytes", "64"}}, "128 bytes"}}) {
    try {
      operand_machine(settings).gpu->check();
      FAIL() << word;
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  }
}

TEST(SpilledFile, KernelsAreCompiledForAShareAndWhatDoesNotFitGoesThroughTheL1) {
  const OperandCounters file = run_with("hotspot", {});
  EXPECT_FALSE(file.contains("gpu.sm.spill.fills"));
  const OperandCounters eight = run_with("hotspot", {{"sm.operands", "spill"}, {"check_lines", "true"}});
  const OperandCounters sixteen = run_with("hotspot", {{"sm.operands", "spill"}, {"sm.spill.share", "16"}});
  const OperandCounters all = run_with("hotspot", {{"sm.operands", "spill"}, {"sm.spill.share", "32"}});
  EXPECT_EQ(file.at("gpu.sm.instructions"), all.at("gpu.sm.instructions")) << "all registers fit";
  EXPECT_EQ(all.at("gpu.sm.spill.fills") + all.at("gpu.sm.spill.spills"), 0u);
  EXPECT_EQ(file.at("gpu.sm.l1_lines"), all.at("gpu.sm.l1_lines"));
  EXPECT_GT(eight.at("gpu.sm.spill.fills"), eight.at("gpu.sm.spill.spills"));
  EXPECT_GT(eight.at("gpu.sm.spill.fills"), sixteen.at("gpu.sm.spill.fills"));
  EXPECT_GT(eight.at("gpu.sm.l1_lines"), file.at("gpu.sm.l1_lines"));
  // Each spill and fill is an instruction; those of addresses may be fewer, because values are not kept as long.
  EXPECT_GE(eight.at("gpu.sm.instructions"),
            file.at("gpu.sm.instructions") + eight.at("gpu.sm.spill.fills") + eight.at("gpu.sm.spill.spills"));
  EXPECT_EQ(eight, run_with("hotspot", {{"sm.operands", "spill"}, {"check_lines", "true"}}, 3));
}

TEST(SpilledFile, HasRoomForAsManyWarpsAsThereAreShares) {
  // Blocks of 256 threads, eight warps: 512 registers are 32 shares of 16, and 16 of 32.
  const auto most_warps = [](const std::string& share) {
    const OperandCounters c = run_with("hotspot", {{"sm.operands", "spill"}, {"sm.spill.share", share}});
    return static_cast<double>(c.at("gpu.sm.warp_cycles")) / static_cast<double>(c.at("gpu.sm.active_cycles"));
  };
  EXPECT_LE(most_warps("32"), 16.0);
  EXPECT_LE(most_warps("64"), 8.0);
  EXPECT_GT(most_warps("32"), 8.0);
}

TEST(SpilledFile, ABlockWithMoreWarpsThanSharesIsRefused) {
  try {
    (void)run_with("hotspot", {{"sm.operands", "spill"}, {"sm.spill.share", "128"}});
    FAIL() << "eight warps, and four shares";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("sm.spill.entries"), std::string::npos) << error.what();
  }
}

TEST(RegisterFile, CountsTheRegistersThatAWindowTouches) {
  const OperandCounters plain = run_with("hotspot", {});
  const OperandCounters studied = run_with("hotspot", {{"sm.file.window", "100"}});
  EXPECT_EQ(plain.at("gpu.cycles"), studied.at("gpu.cycles")) << "looking costs no time";
  EXPECT_EQ(plain.at("gpu.sm.file.touched"), 0u);
  EXPECT_GT(studied.at("gpu.sm.file.touched"), studied.at("gpu.sm.file.windows"));
  EXPECT_LE(studied.at("gpu.sm.file.touched"),
            studied.at("gpu.sm.register_reads") + studied.at("gpu.sm.register_writes"));
  EXPECT_LE(studied.at("gpu.sm.file.windows"), studied.at("gpu.sm.active_cycles") / 100 + 4);
}

TEST(RenamedFile, RunsWithFewerRegistersThanBlocksWereAdmittedFor) {
  const OperandCounters half = run_with("hotspot", {{"sm.operands", "rfv"}, {"sm.renamed_registers", "200"}});
  EXPECT_LE(half.at("gpu.sm.rfv.most_used"), 200u);
  EXPECT_GT(half.at("gpu.sm.rfv.throttles"), 0u);
  EXPECT_GT(half.at("gpu.sm.slot_operands"), 0u);
}

TEST(RegisterHierarchy, ReadsLessFromTheMainFile) {
  const OperandCounters h = run_with("hotspot", {{"sm.operands", "rfh"}});
  const OperandCounters r = run_with("hotspot", {{"sm.operands", "rfv"}});
  const std::uint64_t small = h.at("gpu.sm.rfh.operand_reads") + h.at("gpu.sm.rfh.last_reads");
  EXPECT_EQ(h.at("gpu.sm.rfh.main_reads") + small, r.at("gpu.sm.rfv.reads"));
  EXPECT_GT(small, h.at("gpu.sm.rfh.main_reads") / 4);
  EXPECT_LT(h.at("gpu.sm.rfh.main_writes"), r.at("gpu.sm.rfv.writes"));
  const OperandCounters c = run_with("hotspot", {{"sm.operands", "rfcache"}});
  EXPECT_EQ(c.at("gpu.sm.rfcache.main_reads") + c.at("gpu.sm.rfcache.cache_reads"), r.at("gpu.sm.rfv.reads"));
}

}  // namespace
}  // namespace heddle::test
