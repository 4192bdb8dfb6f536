// TLBs and page-walk caches: the component "mmu", which Power et al. (2014, section 5.4) compare designs by.
#include "energy/report.h"

namespace heddle::energy {
namespace {

constexpr double kEntryBits = 64;

Sram tlb(const vm::TlbParameters& p) {
  const bool associative = p.ways == 0;
  return {.family = associative ? Sram::Family::cam : Sram::Family::tlb,
          .entries = 1.0 * p.entries,
          .entry_bits = kEntryBits,
          .ways = associative ? 1.0 : 1.0 * p.ways,
          .read_ports = associative ? 1.0 * p.ports : 0,
          .rw_ports = associative ? 1 : 1.0 * p.ports};
}

void add_walk_cache(Report& report, const vm::PageWalkCacheParameters& p, const std::string& walker, double instances) {
  if (p.kind.is("none") || p.kind.is("ideal")) return;
  const bool physical = p.kind.is("physical");
  const double bytes = physical ? p.lines.kib * 1024.0 : p.entries * kEntryBits / 8;
  report.add_sram("mmu", "page-walk cache",
                  {.family = Sram::Family::tlb,
                   .entries = bytes * 8 / kEntryBits,
                   .entry_bits = kEntryBits,
                   .ways = physical ? 1.0 * p.lines.ways : 4.0,
                   .rw_ports = 1.0 * p.ports},
                  instances, report.count(walker + ".cache_hits") + report.count(walker + ".cache_misses"),
                  report.count(walker + ".cache_misses"));
}

void describe_translation(Report& report) {
  const gpu::GpuParameters& gpu = report.gpu();
  const core::MmuParameters& mmu = gpu.sm.mmu;
  const bool has_tlb = mmu.kind.is("tlb") || mmu.kind.is("after-l1");
  if (has_tlb && mmu.tlb.entries > 0) {
    report.add_sram("mmu", "TLB of an SM", tlb(mmu.tlb), gpu.sms, report.count("gpu.sm.mmu.lookups"),
                    report.count("gpu.sm.mmu.walked"));
  }
  if (has_tlb && mmu.walks.is("private")) add_walk_cache(report, mmu.walker.cache, "gpu.sm.mmu.walker", gpu.sms);
  if (!gpu.shares_mmu()) return;
  if (gpu.mmu.tlb.entries > 0) {
    report.add_sram("mmu", "shared TLB", tlb(gpu.mmu.tlb), 1, report.count("gpu.mmu.requests"),
                    report.count("gpu.mmu.tlb_misses"));
  }
  add_walk_cache(report, gpu.mmu.walker.cache, "gpu.mmu.walker", 1);
}

[[maybe_unused]] const bool kRegisteredTranslation = register_component("translation", describe_translation);

}  // namespace
}  // namespace heddle::energy
