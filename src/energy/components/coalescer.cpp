// What WarpPool adds to an SM (Kloosterman 2018, Table 3.1), as SRAM. The document's figures are of synthesised logic
// with its routing, which is not modelled here.
#include "energy/report.h"

namespace heddle::energy {
namespace {

constexpr const char* kWarpPool = "warppool";
// Bits of an entry, as in Table 3.1.
constexpr double kInstructionBits = 37;
constexpr double kAddressBits = 256 * 8;  ///< addresses and store data in a coalescer
constexpr double kLineTagBits = 32;
constexpr double kSlotBits = 23;
constexpr double kMapBits = 321;

void describe_coalescer(Report& report) {
  const gpu::GpuParameters& gpu = report.gpu();
  if (!gpu.sm.coalescer.is("warppool")) return;
  const auto of = [&](const char* key) { return report.parameter(std::string("sm.warppool.") + key); };
  const auto count = [&](const char* name) { return report.count(std::string("gpu.sm.warppool.") + name); };
  const double loads = report.count("gpu.sm.loads");
  const double served = count("served");
  const double requests = count("requests");
  report.add_sram(kWarpPool, "instruction queues",
                  {.entries = of("queues") * of("depth"), .entry_bits = kInstructionBits}, gpu.sms, loads, loads);
  report.add_sram(kWarpPool, "addresses", {.entries = 1, .entry_bits = kAddressBits}, gpu.sms * of("coalescers"), loads,
                  loads);
  // A line is compared with the tags of its queue, and its slot is written; a request reads all that it serves.
  report.add_sram(kWarpPool, "merge queues",
                  {.entries = of("merge_queues") * of("tags"), .entry_bits = kLineTagBits + of("slots") * kSlotBits},
                  gpu.sms, served * of("tags") + requests, served);
  report.add_sram(kWarpPool, "thread map", {.entries = of("map_entries"), .entry_bits = kMapBits}, gpu.sms,
                  count("irregular"), count("irregular"));
  report.add_sram(kWarpPool, "waiting loads",
                  {.entries = 1.0 * gpu.sm.l1.mshrs * gpu.sm.l1.mshr_merges, .entry_bits = of("slots") * kSlotBits},
                  gpu.sms, report.count("gpu.sm.l1_fills"), requests - report.count("gpu.sm.l1_hits"));
}

[[maybe_unused]] const bool kRegisteredCoalescer = register_component("coalescer", describe_coalescer);

}  // namespace
}  // namespace heddle::energy
