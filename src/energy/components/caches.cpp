// Caches and shared memory of the SMs, and the L2.
#include "energy/report.h"

namespace heddle::energy {
namespace {

constexpr double kWordBits = 32;
constexpr double kSectorBits = 256;
constexpr double kReadOnlyLineBytes = 128;  ///< of instruction and constant caches
constexpr double kReadOnlyWays = 4;

Sram cache(const memory::CacheParameters& p, double out_bits, double banks) {
  return {.family = Sram::Family::cache,
          .entries = p.kib * 1024.0 / p.line_bytes,
          .entry_bits = p.line_bytes * 8.0,
          .ways = 1.0 * p.ways,
          .banks = banks,
          .out_bits = out_bits};
}

Sram read_only(double kib, double out_bits) {
  return {.family = Sram::Family::cache,
          .entries = kib * 1024 / kReadOnlyLineBytes,
          .entry_bits = kReadOnlyLineBytes * 8,
          .ways = kReadOnlyWays,
          .out_bits = out_bits};
}

void describe_caches(Report& report) {
  const gpu::GpuParameters& gpu = report.gpu();
  const double sms = gpu.sms;
  report.add_sram("l1", "data and tags", cache(gpu.sm.l1, gpu.sm.l1.line_bytes * 8.0, gpu.sm.l1.banks), sms,
                  report.count("gpu.sm.l1_reads"), report.count("gpu.sm.l1_fills") + report.count("gpu.sm.l1_writes"));
  // A lane is an access of one bank, and lanes that read the same word are counted each.
  report.add_sram("shared", "banks",
                  {.entries = gpu.sm.shared_kib * 1024.0 * 8 / kWordBits,
                   .entry_bits = kWordBits,
                   .banks = 1.0 * gpu.sm.shared_banks},
                  sms, report.count("gpu.sm.shared_lanes"), 0);
  report.add_sram("instructions", "instruction cache",
                  read_only(gpu.sm.instruction_kib, gpu.sm.instruction_bytes * 8.0), sms,
                  report.count("gpu.sm.issue_slots"), report.count("gpu.sm.instruction_misses"));
  report.add_sram("constants", "constant cache", read_only(gpu.sm.constant_kib, kWordBits), sms, 0,
                  report.count("gpu.sm.constant_misses"));
  const double slices = gpu.l2.slices > 0 ? gpu.l2.slices : gpu.memory.partitions;
  Sram l2 = cache(gpu.l2, kSectorBits, gpu.l2.banks);
  l2.sequential = true;
  report.add_sram("l2", "data and tags", l2, slices, report.count("gpu.l2.reads") + report.count("gpu.l2.atomics"),
                  report.count("gpu.l2.writes") + report.count("gpu.l2.atomics") + report.count("gpu.l2.dram_reads"));
}

[[maybe_unused]] const bool kRegisteredCaches = register_component("caches", describe_caches);

}  // namespace
}  // namespace heddle::energy
