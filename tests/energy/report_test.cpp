#include "energy/report.h"

#include <gtest/gtest.h>

#include "gpu/gpu.h"
#include "runtime/device.h"

namespace heddle::energy {
namespace {

gpu::GpuParameters& at_28_nm(gpu::GpuParameters& gpu) {
  gpu.set_text("energy.process_nm", "28");
  return gpu;
}

double energy_of(const Report& report, const std::string& component) {
  for (const auto& [name, uj] : report.energies_uj()) {
    if (name == component) return uj;
  }
  ADD_FAILURE() << "no component " << component;
  return 0;
}

TEST(Energy, is_the_events_times_what_each_takes) {
  gpu::GpuParameters gpu;
  at_28_nm(gpu);
  gpu.set_text("energy.rest", "100");
  const Report once(gpu, {{"gpu.sm.register_reads", 1000}});
  const Report twice(gpu, {{"gpu.sm.register_reads", 2000}});
  EXPECT_GT(energy_of(once, "register_file"), 0);
  EXPECT_NEAR(energy_of(twice, "register_file"), 2 * energy_of(once, "register_file"), 1e-12);
  EXPECT_EQ(energy_of(once, "rest"), 0) << "no time has passed";
  double sum = 0;
  for (const auto& [name, uj] : once.energies_uj()) sum += uj;
  EXPECT_NEAR(sum, once.total_uj(), 1e-12);
}

TEST(Energy, leaks_with_time_and_number) {
  gpu::GpuParameters gpu;
  at_28_nm(gpu);
  gpu.set_text("core_mhz", "1000");
  gpu.set_text("energy.rest", "100");
  gpu.set_text("sms", "4");
  const Report report(gpu, {{"gpu.cycles", 1'000'000}});  // one millisecond
  EXPECT_NEAR(energy_of(report, "rest"), 4 * 100 * 1.0, 1e-9) << "4 SMs of 100 mW for 1 ms, in microjoules";
  gpu.set_text("sms", "8");
  EXPECT_NEAR(energy_of(Report(gpu, {{"gpu.cycles", 1'000'000}}), "l1"), 2 * energy_of(report, "l1"), 1e-9);
}

TEST(Energy, grows_with_the_square_of_the_supply) {
  gpu::GpuParameters low;
  gpu::GpuParameters high;
  at_28_nm(low).set_text("energy.voltage", "0.5");
  at_28_nm(high).set_text("energy.voltage", "1.0");
  const Report::Counters counters{{"gpu.sm.l1_reads", 1000}};
  EXPECT_NEAR(energy_of(Report(high, counters), "l1"), 4 * energy_of(Report(low, counters), "l1"), 1e-12);
}

TEST(Energy, of_dram_is_by_command) {
  gpu::GpuParameters gpu;
  at_28_nm(gpu);
  const Report rows(gpu, {{"gpu.dram.activates", 10}});
  EXPECT_NEAR(energy_of(rows, "dram"), 10 * 0.89 * gpu.dram.row_bytes * 1e-6, 1e-12);
  const Report bursts(gpu, {{"gpu.dram.reads", 10}, {"gpu.dram.writes", 5}});
  EXPECT_NEAR(energy_of(bursts, "dram"), 15 * 13.6 * 8 * gpu.dram.bus_bytes * gpu.dram.burst_length * 1e-6, 1e-12);
}

TEST(Energy, of_smaller_register_storage_is_less_and_that_of_none_is_nothing) {
  gpu::GpuParameters gpu;
  at_28_nm(gpu).set_text("sm.registers", "65536");
  gpu.set_text("sm.register_banks", "32");
  gpu.set_text("sm.schedulers", "4");
  const double file = Report(gpu, {{"gpu.sm.register_reads", 1000}}).total_uj();
  const double file_area = Report(gpu, {}).area_mm2("register_file");
  gpu.set_text("sm.operands", "regless");
  const Report::Counters reads{{"gpu.sm.regless.reads", 1000}, {"gpu.sm.regless.tag_lookups", 1000}};
  double before = 0;
  for (const std::string entries : {"128", "512", "2048"}) {
    gpu.set_text("sm.regless.entries", entries);
    const double area = Report(gpu, {}).area_mm2("register_file");
    EXPECT_GT(area, before) << entries;
    before = area;
  }
  EXPECT_GT(before, file_area) << "tags and compressors come on top of as many registers";
  gpu.set_text("sm.regless.entries", "512");
  EXPECT_LT(Report(gpu, {}).area_mm2("register_file"), file_area);
  EXPECT_LT(Report(gpu, reads).total_uj(), file);
  gpu.set_text("sm.operands", "spill");
  const Report::Counters spilled{{"gpu.sm.register_reads", 1000}};
  const double shares = Report(gpu, spilled).total_uj();
  EXPECT_LT(shares, file);
  gpu.set_text("sm.spill.entries", "1024");
  EXPECT_GT(Report(gpu, spilled).total_uj(), shares);
  gpu.set_text("sm.operands", "none");
  EXPECT_EQ(Report(gpu, {{"gpu.sm.register_reads", 1000}}).total_uj(), 0);
  gpu.set_text("sm.operands", "rfh");
  const Report main(gpu, {{"gpu.sm.rfh.main_reads", 1000}});
  const Report small(gpu, {{"gpu.sm.rfh.operand_reads", 1000}});
  EXPECT_LT(small.total_uj(), main.total_uj());
}

TEST(Energy, has_TLBs_only_where_the_GPU_has) {
  gpu::GpuParameters gpu;
  EXPECT_EQ(Report(at_28_nm(gpu), {}).area_mm2("mmu"), 0);
  gpu.set_text("sm.mmu.kind", "tlb");
  const double own = Report(gpu, {}).area_mm2("mmu");
  EXPECT_GT(own, 0);
  gpu.set_text("sm.mmu.walks", "shared");
  gpu.set_text("mmu.tlb.entries", "1024");
  EXPECT_GT(Report(gpu, {}).area_mm2("mmu"), own);
}

TEST(Energy, is_refused_without_a_process) {
  const gpu::GpuParameters gpu;
  try {
    const Report report(gpu, {});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("does not say its process"), std::string::npos) << error.what();
  }
  gpu::GpuParameters small;
  small.set_text("energy.process_nm", "7");
  EXPECT_THROW(small.check(), UserError);
}

/// Four instructions of one warp, whose registers and lanes can be counted by hand.
TEST(Energy, counts_registers_and_lanes_where_instructions_execute) {
  runtime::Device::Options options;
  options.gpu = std::make_shared<gpu::GpuParameters>();
  runtime::Device device(options);
  runtime::Module module = device.load(R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u32 A)
{
  .reg .b32 a, t;
  .reg .f32 x;
  .reg .pred p;
  mov.u32 t, %tid.x;
  cvt.rn.f32.u32 x, t;
  fma.rn.f32 x, x, x, x;
  sqrt.approx.f32 x, x;
  setp.eq.f32 p, x, 0f40000000;
  @p trap;
  ret;
}
)",
                                       "k.ptx");
  device.launch(module.kernel("k"), {1, 1, 1}, {8, 1, 1}, 0, std::uint32_t{0});
  const auto counters = sim::totals(device.gpu()->statistics());
  EXPECT_EQ(counters.at("gpu.sm.special_lanes"), 8u) << "one root of eight threads";
  EXPECT_EQ(counters.at("gpu.sm.single_lanes"), 8u) << "the multiply-add";
  EXPECT_EQ(counters.at("gpu.sm.register_writes"), 4u) << "the comparison writes a predicate";
  EXPECT_EQ(counters.at("gpu.sm.register_reads"), 4u) << "what the multiply-add names three times is read once";
}

double bytes_of(const Report& report, const std::string& component) {
  double sum = 0;
  for (const Item& item : report.items()) sum += item.component == component ? item.bytes * item.instances : 0;
  return sum;
}

TEST(Storage, of_warppool_is_what_the_coalescer_says) {
  gpu::GpuParameters gpu;
  at_28_nm(gpu).set_text("sms", "1");
  EXPECT_EQ(bytes_of(Report(gpu, {}), "warppool"), 0);
  gpu.set_text("sm.coalescer", "warppool");
  for (const char* tags : {"2", "4"}) {
    gpu.set_text("sm.warppool.tags", tags);
    gpu::Gpu machine(gpu, 1);
    EXPECT_EQ(8 * bytes_of(Report(gpu, {}), "warppool"),
              sim::totals(machine.statistics()).at("gpu.sm.warppool.storage"));
  }
}

TEST(Storage, of_the_forward_backward_table_follows_its_entries) {
  gpu::GpuParameters gpu;
  at_28_nm(gpu).set_text("sm.mmu.kind", "after-l2");
  gpu.set_text("mmu.kind", "forward-backward");
  const Report large(gpu, {});
  // 16,384 entries in 2,048 sets. Backward: 17 bits of a frame, 36 of a page, 32 lines, 5 flags; forward: 25 of a page,
  // 14 that name an entry, 1 valid.
  EXPECT_EQ(bytes_of(large, "table"), 16384 * (90 + 40) / 8.0);
  gpu.set_text("mmu.forward_backward.entries", "8192");
  const Report small(gpu, {});
  EXPECT_EQ(bytes_of(small, "table"), 8192 * (91 + 40) / 8.0);
  EXPECT_GT(large.area_mm2("table"), small.area_mm2("table"));
}

TEST(Storage, of_tokens_is_what_the_paper_adds_up) {
  gpu::GpuParameters gpu;
  at_28_nm(gpu).set_text("sms", "30");
  gpu.set_text("sm.warps", "64");
  gpu.set_text("sm.mmu.kind", "tlb");
  gpu.set_text("sm.mmu.walks", "shared");
  EXPECT_EQ(bytes_of(Report(gpu, {}), "tokens"), 0);
  gpu.set_text("mmu.fill", "tokens");
  const Report report(gpu, {});
  // MASK, section 7.4: 13 bytes per core, 316 in the shared TLB.
  EXPECT_EQ(bytes_of(report, "token_counters"), 30 * 13);
  EXPECT_EQ(bytes_of(report, "tokens"), 316);
}

}  // namespace
}  // namespace heddle::energy
