// What virtual caches add (Yoon et al., section 4.3): the forward-backward table, the filters of the L1s, and longer
// tags. Virtual addresses have 48 bits; physical ones 40, which is an assumption: the paper does not say. Numbers of
// address spaces are not counted.
#include <cmath>

#include "energy/report.h"

namespace heddle::energy {
namespace {

constexpr double kPageNumberBits = 36;
constexpr double kFrameNumberBits = 28;
constexpr double kPageBytes = 4096;
constexpr double kFlags = 5;                                        ///< valid, writable, written, synonym seen, locked
constexpr double kPermissionBits = 2;                               ///< of a line
constexpr double kLongerBits = kPageNumberBits - kFrameNumberBits;  ///< of a tag

void describe_virtual_caches(Report& report) {
  const gpu::GpuParameters& gpu = report.gpu();
  const bool both = gpu.sm.mmu.kind.is("after-l2");
  if (!both && !gpu.sm.mmu.kind.is("after-l1")) return;
  const double lines = gpu.sm.l1.kib * 1024.0 / gpu.sm.l1.line_bytes;
  const double ways = gpu.sm.l1.ways;
  const double of_page = kPageBytes / gpu.sm.l1.line_bytes;
  report.add_sram("virtual_tags", "of L1s", {.entries = lines, .entry_bits = kLongerBits + kPermissionBits}, gpu.sms,
                  report.count("gpu.sm.l1_reads"), report.count("gpu.sm.l1_fills"));
  if (!both) return;
  // A page and a count of its lines, for each line of the L1: all may be of different pages.
  const double filter_bits = kPageNumberBits - std::log2(lines / ways) + std::ceil(std::log2(of_page + 1));
  report.add_sram("l1_filters", "page counts", {.entries = lines, .entry_bits = filter_bits}, gpu.sms,
                  report.count("gpu.mmu.table.page_probes"), 2 * report.count("gpu.sm.l1_fills"));
  const double l2_lines = gpu.l2.kib * 1024.0 / gpu.l2.line_bytes;
  const double slices = gpu.l2.slices > 0 ? gpu.l2.slices : gpu.memory.partitions;
  report.add_sram("virtual_tags", "of the L2", {.entries = l2_lines, .entry_bits = kLongerBits + kPermissionBits},
                  slices, report.count("gpu.l2.reads") + report.count("gpu.l2.writes"), report.count("gpu.l2.misses"));
  if (!gpu.mmu.kind.is("forward-backward")) return;
  const double entries = report.parameter("mmu.forward_backward.entries");
  const double sets = entries / report.parameter("mmu.forward_backward.ways");
  const double lookups = report.count("gpu.mmu.table.lookups");
  const double updates = report.count("gpu.mmu.table.updates");
  const double table_ways = report.parameter("mmu.forward_backward.ways");
  report.add_sram("table", "backward",
                  {.family = Sram::Family::tlb,
                   .entries = entries,
                   .entry_bits = kFrameNumberBits - std::log2(sets) + kPageNumberBits + of_page + kFlags,
                   .ways = table_ways},
                  1, lookups, updates);
  report.add_sram("table", "forward",
                  {.family = Sram::Family::tlb,
                   .entries = entries,
                   .entry_bits = kPageNumberBits - std::log2(sets) + std::log2(entries) + 1,
                   .ways = table_ways},
                  1, updates + report.count("gpu.mmu.tlb_misses"), report.count("gpu.mmu.table.allocated"));
}

[[maybe_unused]] const bool kRegisteredVirtualCaches = register_component("virtual_caches", describe_virtual_caches);

}  // namespace
}  // namespace heddle::energy
