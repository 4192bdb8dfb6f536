#include "results/highlights.h"

#include <fmt/format.h>

#include <cstdint>

#include "results/filter.h"

namespace heddle::results {
namespace {

class Figures {
 public:
  Figures(const std::map<std::string, double>& statistics, const std::map<std::string, std::string>& configuration)
      : statistics_(statistics), configuration_(configuration) {}

  /// 0 for what this machine does not count.
  [[nodiscard]] double count(const std::string& path) const {
    const auto found = statistics_.find(path);
    return found == statistics_.end() ? 0 : found->second;
  }
  [[nodiscard]] double parameter(const std::string& path) const {
    const auto found = configuration_.find(path);
    return found == configuration_.end() ? 0 : parse_number(found->second).value_or(0);
  }
  [[nodiscard]] static double ratio(double a, double b) { return b == 0 ? 0 : a / b; }
  [[nodiscard]] static std::string percent(double a, double b) { return fmt::format("{:.1f} %", 100 * ratio(a, b)); }
  [[nodiscard]] static std::string whole(double value) { return grouped(static_cast<std::uint64_t>(value)); }

  [[nodiscard]] double seconds() const { return ratio(count("gpu.cycles"), parameter("core_mhz") * 1e6); }

 private:
  const std::map<std::string, double>& statistics_;
  const std::map<std::string, std::string>& configuration_;
};

void add_progress(const Figures& f, std::vector<Highlight>& to) {
  const double cycles = f.count("gpu.cycles");
  const double warp = f.count("gpu.sm.instructions");
  const double active = f.count("gpu.sm.active_cycles");
  to.push_back({"cycles", Figures::whole(cycles),
                fmt::format("{:.3f} ms at {} MHz", f.seconds() * 1e3, f.parameter("core_mhz"))});
  to.push_back({"warp instructions", Figures::whole(warp),
                fmt::format("{:.2f} per cycle, {:.2f} per busy SM and cycle", Figures::ratio(warp, cycles),
                            Figures::ratio(warp, active))});
  const double warps = f.count("gpu.sm.warp_cycles");
  to.push_back({"occupancy", Figures::percent(warps, active * f.parameter("sm.warps")),
                fmt::format("{:.1f} of {} warps on busy SMs", Figures::ratio(warps, active), f.parameter("sm.warps"))});
}

void add_memory(const Figures& f, std::vector<Highlight>& to) {
  to.push_back(
      {"lines per memory instruction",
       fmt::format("{:.2f}", Figures::ratio(f.count("gpu.sm.line_requests"), f.count("gpu.sm.memory_instructions"))),
       fmt::format("average load latency {:.0f} cycles",
                   Figures::ratio(f.count("gpu.sm.load_latency"), f.count("gpu.sm.loads")))});
  const double reads = f.count("gpu.sm.l1_reads");
  to.push_back({"L1 hit rate", Figures::percent(f.count("gpu.sm.l1_hits"), reads),
                fmt::format("of {} lines", Figures::whole(reads))});
  const double requests = f.count("gpu.l2.hits") + f.count("gpu.l2.misses");
  to.push_back({"L2 hit rate", Figures::percent(f.count("gpu.l2.hits"), requests),
                fmt::format("of {} reads and atomics", Figures::whole(requests))});
  // As memory/dram_parameters.h has it: a burst is the bus times its length, and takes so many cycles of the bus.
  const double burst = f.parameter("dram.bus_bytes") * f.parameter("dram.burst_length");
  const double peak = Figures::ratio(burst * f.parameter("dram.clock_mhz") * 1e6, f.parameter("dram.burst_cycles")) *
                      f.parameter("memory.partitions");
  const double bursts = f.count("gpu.dram.reads") + f.count("gpu.dram.writes");
  const double rate = Figures::ratio(bursts * burst, f.seconds());
  to.push_back({"DRAM", fmt::format("{:.1f} GB/s", rate * 1e-9),
                fmt::format("{} of {:.1f} GB/s, row hits {}", Figures::percent(rate, peak), peak * 1e-9,
                            Figures::percent(f.count("gpu.dram.row_hits"), bursts))});
}

/// Where managed memory migrates and was used.
void add_managed(const Figures& f, std::vector<Highlight>& to) {
  const double in = f.count("gpu.managed.bytes_in");
  const double back = f.count("gpu.managed.bytes_back");
  const double faults = f.count("gpu.managed.faults");
  if (faults + in + back == 0) return;
  constexpr double kMib = 1 << 20;
  to.push_back({"managed memory", fmt::format("{} faults", Figures::whole(faults)),
                fmt::format("in {} batches; {:.1f} MiB to the device, {:.1f} MiB back",
                            Figures::whole(f.count("gpu.managed.batches")), in / kMib, back / kMib)});
}

void add_tlb(const Figures& f, std::vector<Highlight>& to) {
  const double lookups = f.count("gpu.sm.mmu.lookups");
  const double misses = f.count("gpu.sm.mmu.misses");
  to.push_back({"TLB hit rate", Figures::percent(f.count("gpu.sm.mmu.hits"), lookups),
                fmt::format("of {} lookups, a miss waits {:.0f} cycles", Figures::whole(lookups),
                            Figures::ratio(f.count("gpu.sm.mmu.miss_latency"), misses))});
}

/// The unit that SMs share: a second-level TLB, or an IOMMU's.
void add_shared(const Figures& f, std::vector<Highlight>& to) {
  const double hits = f.count("gpu.mmu.tlb_hits");
  const double all = hits + f.count("gpu.mmu.tlb_misses");
  if (all == 0) return;
  to.push_back({"shared TLB hit rate", Figures::percent(hits, all),
                fmt::format("of {} misses of the SMs' TLBs", Figures::whole(all))});
}

void add_walks(const Figures& f, std::vector<Highlight>& to) {
  for (const char* walker : {"gpu.mmu.walker.", "gpu.sm.mmu.walker."}) {
    const auto count = [&](const char* name) { return f.count(std::string(walker) + name); };
    const double walks = count("walks");
    if (walks == 0) continue;
    std::string detail =
        fmt::format("{:.0f} cycles each, {:.0f} of them in the queue; {} of {} reads from the L2",
                    Figures::ratio(count("latency"), walks), Figures::ratio(count("waited"), walks),
                    Figures::percent(count("reads_l2"), count("reads")), Figures::whole(count("reads")));
    const double cached = count("cache_hits") + count("cache_misses");
    if (cached > 0) detail += fmt::format(", page-walk cache hits {}", Figures::percent(count("cache_hits"), cached));
    to.push_back({"page walks", Figures::whole(walks), detail});
  }
}

void add_stalls(const Figures& f, std::vector<Highlight>& to) {
  const double active = f.count("gpu.sm.active_cycles");
  const double walker = f.count("gpu.sm.mmu.stall_walker");
  const double entries = f.count("gpu.sm.mmu.stall_mshrs");
  const double waiting = f.count("gpu.sm.mmu.stall_waiting");
  to.push_back(
      {"stalls of translation", Figures::percent(walker + entries + waiting, active),
       fmt::format("of busy SM cycles: walker or shared unit full {}, no entry for a miss {}, too many wait {}",
                   Figures::percent(walker, active), Figures::percent(entries, active),
                   Figures::percent(waiting, active))});
  const double faults = f.count("gpu.faults.minor") + f.count("gpu.faults.major");
  if (faults > 0)
    to.push_back({"page faults", Figures::whole(faults),
                  fmt::format("{} of them major", Figures::whole(f.count("gpu.faults.major")))});
}

}  // namespace

std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

Highlights highlights(const std::map<std::string, double>& statistics,
                      const std::map<std::string, std::string>& configuration) {
  Highlights made;
  const Figures figures(statistics, configuration);
  if (figures.count("gpu.cycles") == 0) return made;
  add_progress(figures, made.progress);
  add_memory(figures, made.memory);
  add_managed(figures, made.memory);
  const bool translates = figures.count("gpu.sm.mmu.lookups") > 0;
  if (translates) add_tlb(figures, made.translation);
  add_shared(figures, made.translation);
  add_walks(figures, made.translation);
  if (translates) add_stalls(figures, made.translation);
  return made;
}

}  // namespace heddle::results
