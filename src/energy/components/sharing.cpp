// What MASK adds (section 7.4): tokens in the SMs and beside the shared TLB, counters of its
// L2 bypass.
#include "energy/report.h"

namespace heddle::energy {
namespace {

constexpr double kApplications = 30;    ///< that it provides for
constexpr double kHitCounterBits = 16;  ///< hits, and misses, of the shared TLB
constexpr double kWarpCountBits = 8;
constexpr double kBypassEntryBits = 64;  ///< worked out from the paper's 316 bytes
constexpr double kTokenBits = 15 + 1;    ///< a number of tokens, and which way it went
constexpr double kBypassCounters = 10;
constexpr double kBypassCounterBits = 64;

void describe_sharing(Report& report) {
  const gpu::GpuParameters& gpu = report.gpu();
  if (gpu.shares_mmu() && gpu.mmu.fill.is("tokens")) {
    report.add_sram("token_counters", "of an SM",
                    {.entries = 1, .entry_bits = 2 * kHitCounterBits + gpu.sm.warps + kWarpCountBits}, gpu.sms, 0,
                    report.count("gpu.mmu.requests"));
    report.add_sram("tokens", "bypass cache",
                    {.family = Sram::Family::cam,
                     .entries = report.parameter("mmu.tokens.bypass.entries"),
                     .entry_bits = kBypassEntryBits},
                    1, report.count("gpu.mmu.tlb_misses"), report.count("gpu.mmu.tokens.bypassed"));
    report.add_sram("tokens", "of applications", {.entries = kApplications, .entry_bits = kTokenBits}, 1,
                    report.count("gpu.mmu.walker.walks"), 0);
  }
  if (gpu.l2.fill.is("translation-aware")) {
    report.add_sram("l2_bypass", "hits by level", {.entries = kBypassCounters, .entry_bits = kBypassCounterBits}, 1,
                    report.count("gpu.l2.walk_reads"), report.count("gpu.l2.reads"));
  }
}

[[maybe_unused]] const bool kRegisteredSharing = register_component("sharing", describe_sharing);

}  // namespace
}  // namespace heddle::energy
