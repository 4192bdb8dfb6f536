// Warps that do not go through their regions from end to end: blocks that are taken out of an SM and go on later, there
// or elsewhere, and lanes that wait for others of their warp (independent thread scheduling). The document speaks of
// neither.
//
// What a block's context is saved with are all registers of its warps, wherever they are. When it goes on they lie in
// memory, whole, and the rest of the region in which a warp stands is prepared like a region.
#include <algorithm>
#include <bitset>

#include "base/check.h"
#include "core/operands/regless/shard.h"
#include "exec/warp.h"

namespace heddle::core {

using sim::Cycle;
using Copy = Compressor::Copy;

bool RegLessShard::leaves(unsigned index) {
  Warp& warp = warps_[index];
  if (warp.state == State::stacked) {
    stack_.erase(std::remove(stack_.begin(), stack_.end(), static_cast<std::uint8_t>(index)), stack_.end());
    warp.state = State::inactive;
  }
  warp.leaving = true;
  return warp.state != State::preloading;
}

/// The registers of a warp that was started again have been read into memory with its context.
void RegLessShard::arrive(Warp& warp, unsigned index) {
  warp.came = false;
  for (unsigned r = 0; r < warp.registers; ++r) {
    const StagedName name = name_of(index, static_cast<std::uint8_t>(r));
    const std::uint32_t* row = warp.state_of->registers + std::size_t{r} * kWarpSize;
    std::copy(row, row + kWarpSize, memory_[std::size_t{name.warp} * 256 + r].begin());
    compressor_.set_copy(name, Copy::whole);
  }
  const std::uint32_t pc = warp.state_of->path.pc;
  if (pc == warp.region->begin) return;
  warp.rest = rest_of(warp, *warp.region, pc);
  warp.region = &warp.rest;
}

/// What of a region is left from an instruction on: the registers that are staged there are what it prepares.
isa::Region RegLessShard::rest_of(const Warp& warp, const isa::Region& region, std::uint32_t pc) {
  std::bitset<256> staged;
  for (const isa::PreparedRegister& entry : region.list) {
    if (entry.what != isa::Prepare::invalidate) staged.set(entry.reg);
  }
  for (std::uint32_t before = region.begin; before < pc; ++before) {
    const auto let_go = [&](bool at_write) {
      for (const isa::LastUse& use : warp.code->last_uses_at(before)) {
        if (use.at_write == at_write) staged.reset(use.reg);
      }
    };
    const TimedOp& op = warp.timed->at(before);
    let_go(false);
    for (unsigned w = 0; w < op.written; ++w) staged.set(op.write_registers[w]);
    let_go(true);
  }
  std::bitset<256> known;
  std::bitset<256> erased;
  for (std::uint32_t after = pc; after < region.end; ++after) {
    for (const isa::LastUse& use : warp.code->last_uses_at(after)) {
      if (!known[use.reg]) erased.set(use.reg, use.erase);
      known.set(use.reg);
    }
  }
  isa::Region rest = region;
  rest.begin = pc;
  rest.start_words = rest.flag_words = 0;  // decoded already
  rest.list.clear();
  for (unsigned r = 0; r < staged.size(); ++r) {
    if (!staged[r]) continue;
    rest.list.push_back({static_cast<std::uint8_t>(r), erased[r] ? isa::Prepare::preload_last : isa::Prepare::preload});
  }
  return rest;
}

/// The region's first instruction waits for other lanes: the warp gives its lines up as if the region had ended.
void RegLessShard::gave_way(unsigned index, Cycle now) {
  Warp& warp = warps_[index];
  HEDDLE_CHECK(warp.state == State::active && warp.pending.empty(), "lanes give way inside a region");
  ++statistics_.regions_left;
  for (const isa::PreparedRegister& entry : warp.region->list) {
    if (entry.what == isa::Prepare::invalidate) continue;
    // What lives where lanes meet may be needed by others: no preload has taken the copy in memory away.
    HEDDLE_CHECK(entry.what == isa::Prepare::preload, "a value dies in a region whose lanes give way");
    staging_.release(staging_.find(name_of(index, entry.reg)), false);
  }
  bar(index);
  promise_only_pending(warp);
  warp.state = State::inactive;
  warp.fetched = false;
  wake_by(now + 1);
}

}  // namespace heddle::core
