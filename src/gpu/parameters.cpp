#include "gpu/parameters.h"

#include <fmt/format.h>

#include <bit>

namespace heddle::gpu {

double LinkParameters::copy_ns(std::uint64_t bytes) const {
  if (generation == 0) return 0;
  // Bytes per nanosecond and lane after line coding (8b/10b, then 128b/130b, then flits of PAM4).
  static constexpr double kLaneRate[] = {0, 0.25, 0.5, 0.985, 1.969, 3.938, 7.563};
  return latency_ns + static_cast<double>(bytes) / (kLaneRate[generation.get()] * lanes * efficiency);
}

void GpuParameters::check() const {
  std::string wrong;
  const auto require = [&](bool fine, const std::string& message) {
    if (!fine) wrong += (wrong.empty() ? "" : "\n") + message;
  };
  for (const memory::CacheParameters* cache :
       {static_cast<const memory::CacheParameters*>(&sm.l1), static_cast<const memory::CacheParameters*>(&l2)}) {
    const std::string path = cache->path();
    require(std::has_single_bit(cache->line_bytes.get()),
            fmt::format("{}.line_bytes = {}: must be a power of two", path, cache->line_bytes.get()));
    require(cache->line_bytes % cache->sector_bytes == 0,
            fmt::format("{}.sector_bytes = {}: must divide the line size {}", path, cache->sector_bytes.get(),
                        cache->line_bytes.get()));
    require(cache->kib * 1024u % (cache->ways * cache->line_bytes) == 0,
            fmt::format("{}.kib = {}: must be a whole number of sets of {} ways of {} bytes", path, cache->kib.get(),
                        cache->ways.get(), cache->line_bytes.get()));
  }
  for (const memory::CacheParameters* cache :
       {static_cast<const memory::CacheParameters*>(&sm.l1), static_cast<const memory::CacheParameters*>(&l2)}) {
    const bool fits = cache->line_bytes == 128 && (cache->sets() == 32 || cache->sets() == 64);
    require(!cache->index.is("fermi") || fits,
            fmt::format("{}.index = fermi: is for 32 or 64 sets of lines of 128 bytes, not for {} of {}", cache->path(),
                        cache->sets(), cache->line_bytes.get()));
  }
  require(energy.process_nm == 0 || energy.process_nm >= 22,
          fmt::format("energy.process_nm = {:g}: must be 22 to 45, or 0 for one that is not known",
                      energy.process_nm.get()));
  require(sm.l1.line_bytes == l2.line_bytes, fmt::format("sm.l1.line_bytes = {} and l2.line_bytes = {}: must be equal",
                                                         sm.l1.line_bytes.get(), l2.line_bytes.get()));
  require(memory.interleave % l2.line_bytes == 0,
          fmt::format("memory.interleave = {}: must be a multiple of the L2 line, {} bytes", memory.interleave.get(),
                      l2.line_bytes.get()));
  require(dram.burst_bytes() <= l2.line_bytes, fmt::format("dram: a burst of {} bytes does not fit an L2 line of {}",
                                                           dram.burst_bytes(), l2.line_bytes.get()));
  require(std::has_single_bit(sm.shared_banks.get()),
          fmt::format("sm.shared_banks = {}: must be a power of two", sm.shared_banks.get()));
  require(std::has_single_bit(sm.register_banks.get()),
          fmt::format("sm.register_banks = {}: must be a power of two", sm.register_banks.get()));
  require(sm.warps % sm.schedulers == 0,
          fmt::format("sm.warps = {}: must be a multiple of sm.schedulers = {}", sm.warps.get(), sm.schedulers.get()));
  require(!sm.mmu.per_lane || (sm.mmu.kind.is("tlb") && sm.coalescer.is("intra")),
          "sm.mmu.per_lane: is for TLBs before the L1 (sm.mmu.kind = tlb) behind the plain coalescer (sm.coalescer = "
          "intra)");
  require(sm.mmu.tlb2.entries == 0 || ((sm.mmu.kind.is("tlb") || sm.mmu.kind.is("after-l1")) && !sm.mmu.per_lane),
          "sm.mmu.tlb2: is for one TLB in each SM (sm.mmu.kind = tlb or after-l1), not for one in each lane");
  require(sm.mmu.synonyms == 0 || sm.mmu.virtual_l2(),
          "sm.mmu.synonyms: is for virtual L1s and L2 (sm.mmu.kind = after-l2)");
  require(sm.mmu.tlb2.entries == 0 || sm.mmu.tlb2.ports >= sm.mmu.tlb.ports,
          fmt::format("sm.mmu.tlb2.ports = {}: all of the {} lookups in a cycle may miss the first level (sm.mmu.tlb)",
                      sm.mmu.tlb2.ports.get(), sm.mmu.tlb.ports.get()));
  require(!sm.mmu.per_lane || sm.mmu.lifetime_step == 0,
          "sm.mmu.lifetime_step: is for one TLB, not for one in each lane");
  require(!shares_mmu() || mmu.latency >= 2,
          fmt::format("mmu.latency = {}: a message to the shared unit takes at least a cycle", mmu.latency.get()));
  require(l2.halves == 1 || (l2.sets() % 2 == 0 && !sm.mmu.virtual_l2()),
          fmt::format("l2.halves = {}: needs an even number of sets in a slice ({}), and an L2 of physical lines",
                      l2.halves.get(), l2.sets()));
  require(launch.drain_overlap <= launch.drain, fmt::format("launch.drain_overlap = {}: is a part of launch.drain = {}",
                                                            launch.drain_overlap.get(), launch.drain.get()));
  require(managed.growth().chunk_pages <= managed.growth().region_pages,
          fmt::format("managed.chunk_kib = {}: is a part of managed.region_kib = {}", managed.chunk_kib.get(),
                      managed.region_kib.get()));
  require(managed.gather_ns <= managed.fault_ns,
          fmt::format("managed.gather_ns = {}: is a part of managed.fault_ns = {}", managed.gather_ns.get(),
                      managed.fault_ns.get()));
  const std::vector<unsigned> carveouts = sm.carveout.sizes();
  require(carveouts.empty() || (carveouts.back() < sm.l1.kib && carveouts.back() >= sm.shared_kib),
          fmt::format("sm.carveout.steps: the last ({} KiB) must hold all shared memory (sm.shared_kib = {}) and leave "
                      "something of sm.l1.kib = {} to the L1",
                      carveouts.empty() ? 0 : carveouts.back(), sm.shared_kib.get(), sm.l1.kib.get()));
  require(
      carveouts.empty() || (!sm.l1.writes.is("write-back") && sm.l1.index.is("folded") && !sm.operands.is("regless")),
      "sm.carveout.steps: the L1 must be emptied when its size changes: must be empty with sm.l1.writes = write-back, "
      "sm.l1.index = fermi or sm.operands = regless");
  require(
      sm.fence.far_latency == 0 || l2.halves == 2,
      fmt::format("sm.fence.far_latency = {}: is for an L2 of two halves (l2.halves = 2)", sm.fence.far_latency.get()));
  require(l2.slices == 0 || l2.miss_latency >= 8,
          fmt::format("l2.miss_latency = {}: with l2.slices, a message between slice and channel takes half of it, at "
                      "least four cycles",
                      l2.miss_latency.get()));
  require(!shares_mmu() || !mmu.kind.is("iommu") || (l2.slices != 0 && mmu.prefetch == 0),
          "mmu.kind = iommu: needs l2.slices, so that the IOMMU reaches memory beside the L2, and has no prefetcher");
  require(!shares_mmu() || mmu.fill.is("all") || mmu.kind.is("tlb-and-walker"),
          fmt::format("mmu.fill = {}: is for the second-level TLB of mmu.kind = tlb-and-walker, not {}", mmu.fill.get(),
                      mmu.kind.get()));
  require(!sm.mmu.virtual_l1() || !sm.l1.writes.is("write-back"),
          fmt::format("sm.l1.writes = write-back: a virtual L1 (sm.mmu.kind = {}) must not hold dirty data",
                      sm.mmu.kind.get()));
  require(!shares_mmu() || sm.mmu.virtual_l2() == mmu.kind.is("forward-backward"),
          fmt::format("sm.mmu.kind = {} and mmu.kind = {}: after-l2 and forward-backward belong together",
                      sm.mmu.kind.get(), mmu.kind.get()));
  require(
      !sm.mmu.virtual_l2() || (l2.slices != 0 && !l2.perfect && mmu.prefetch == 0 && l2.line_bytes >= 128),
      "sm.mmu.kind = after-l2: a virtual L2 needs l2.slices, lines of 128 bytes or more, and is neither perfect nor "
      "prefetched for");
  require(!mmu.walker.kind.is("scheduled") || mmu.walker.cache.kind.is("none"),
          "mmu.walker.cache: a scheduled walker has no page-walk cache");
  require(!sm.mmu.walker.kind.is("scheduled") || sm.mmu.walker.cache.kind.is("none"),
          "sm.mmu.walker.cache: a scheduled walker has no page-walk cache");
  const bool last_uses_hold = divergence() == "stack" || (sm.operands.is("regless") && divergence() == "independent");
  require(!sm.runs_regions() || last_uses_hold,
          fmt::format("sm.operands = {}: does not go with sm.divergence = {}: {}", sm.operands.get(), divergence(),
                      sm.operands.is("regless")
                          ? "a line of a staging unit is of one warp, and a compacted warp has lanes of several"
                          : "its last uses are those of lanes that wait until the others have come to them; set "
                            "sm.divergence = stack"));
  if (sm.operands.is("regless")) {
    require(sm.regless.soft.is("hidden") || divergence() == "stack",
            "sm.regless.soft = printed: Algorithm 2 is for lanes that wait for each other; set sm.divergence = stack");
    require(sm.l1.line_bytes == 128, fmt::format("sm.l1.line_bytes = {}: sm.operands = regless keeps a register of a "
                                                 "warp in a line of 128 bytes",
                                                 sm.l1.line_bytes.get()));
    const unsigned unit = sm.schedulers * isa::kRegionBanks;
    require(sm.regless.entries % unit == 0 && sm.regless.entries / unit >= 4,
            fmt::format("sm.regless.entries = {}: must be a multiple of {} (banks of all schedulers), at least {}",
                        sm.regless.entries.get(), unit, 4 * unit));
  }
  // One instruction may name four registers of 64 bits.
  require(!sm.operands.is("spill") || sm.spill.registers_per_warp(sm.warps) >= 8,
          fmt::format("sm.spill.entries = {}: each of {} warps gets {} registers, and an instruction may need 8; "
                      "sm.spill.share gives fewer warps more",
                      sm.spill.entries.get(), sm.warps.get(), sm.spill.registers_per_warp(sm.warps)));
  require(!sm.operands.is("spill") || sm.spill.share <= sm.spill.entries,
          fmt::format("sm.spill.share = {}: there are {} registers (sm.spill.entries)", sm.spill.share.get(),
                      sm.spill.entries.get()));
  if (!wrong.empty()) throw UserError(wrong);
  dram.check();
  sm.mmu.tlb.check();
  sm.mmu.tlb2.check();
  mmu.tlb.check();
}

std::string GpuParameters::divergence() const {
  if (!sm.divergence.is("auto")) return sm.divergence.get();
  return compute_capability >= 70 ? "independent" : "stack";
}

}  // namespace heddle::gpu
