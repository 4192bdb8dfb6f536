// Shared memory and the L1 from one array.
#include "core/carveout.h"

#include <gtest/gtest.h>

#include "small_gpu.h"

namespace heddle::test {
namespace {

constexpr const char* kSteps = "8 16 32 64 100 132 164 196 228";

TEST(Carveout, HoldsAsManyBlocksAsFitOtherwise) {
  gpu::GpuParameters p;
  for (const auto& [name, value] : {std::pair{"sm.warps", "64"},
                                    {"sm.blocks", "32"},
                                    {"sm.registers", "65536"},
                                    {"sm.shared_kib", "228"},
                                    {"sm.carveout.reserved_bytes", "1024"}})
    p.set_text(name, value);
  p.set_text("sm.carveout.steps", kSteps);
  const std::vector<unsigned> sizes = p.sm.carveout.sizes();
  // As measured on an H200 by the size of the L1 that is left (validation/h200/probes4.txt, "l1 occupancy").
  struct Row {
    unsigned kib, threads, carveout;
  };
  for (const Row& row : {Row{0, 32, 32},
                         {0, 1024, 8},
                         {1, 32, 64},
                         {1, 1024, 8},
                         {4, 32, 164},
                         {4, 1024, 16},
                         {16, 256, 164},
                         {16, 1024, 64},
                         {48, 256, 196},
                         {48, 1024, 100},
                         {99, 32, 228},
                         {131, 32, 132},
                         {132, 32, 164},
                         {227, 32, 228}}) {
    exec::LaunchConfig config;
    config.block = {row.threads, 1, 1};
    config.registers = 16;
    config.shared_bytes = row.kib * 1024;
    EXPECT_EQ(core::carveout_for(p.sm, sizes, config), row.carveout)
        << row.kib << " KiB, " << row.threads << " threads";
  }
}

/// Reads 12 KiB over and over with one thread, in a block that has `shared` bytes of shared memory. Returns the share
/// of lines that the L1 had.
double hits(const char* steps, std::uint32_t shared) {
  const auto gpu = small_gpu();
  gpu->set_text("sm.l1.kib", "64");
  gpu->set_text("sm.shared_kib", "56");
  gpu->set_text("sm.carveout.steps", steps);
  runtime::Device::Options options;
  options.gpu = gpu;
  runtime::Device device(options);
  const runtime::Module module = device.load(chase_ptx("ld.global.ca.u64"), "chase.ptx");
  const Ring ring(device, 96, 128);
  const runtime::DeviceArray<std::uint64_t> out(device, 1);
  const runtime::LaunchStatistics launch =
      device.launch(module.kernel("chase"), {1, 1, 1}, {1, 1, 1}, shared, ring.start(), out.address(), 1920u);
  return static_cast<double>(launch.counters.at("gpu.sm.l1_hits")) /
         static_cast<double>(launch.counters.at("gpu.sm.l1_reads"));
}

TEST(Carveout, LeavesTheRestToTheL1) {
  EXPECT_GE(hits("8 56", 1024), 0.9) << "56 KiB are left";
  EXPECT_EQ(hits("8 56", 16384), 0.0) << "8 KiB are left, of which the oldest line always goes first";
  EXPECT_GE(hits("", 16384), 0.9) << "they are apart";
}

TEST(Carveout, RefusesWhatCannotBe) {
  gpu::GpuParameters p;
  EXPECT_THROW(p.set_text("sm.carveout.steps", "8 8"), UserError);
  EXPECT_THROW(p.set_text("sm.carveout.steps", "8 x"), UserError);
  p.set_text("sm.carveout.steps", "8 16");  // less than sm.shared_kib
  EXPECT_THROW(p.check(), UserError);
}

}  // namespace
}  // namespace heddle::test
