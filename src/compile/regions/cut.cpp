#include "compile/regions/cut.h"

#include <algorithm>
#include <optional>

#include "isa/member_mask.h"

namespace heddle::compile {
namespace {

/// A load and the first instruction that uses what it loads.
struct LoadUse {
  std::size_t load = 0;
  std::size_t use = 0;
};

/// After these a warp may wait for others: its registers should not wait with it.
bool ends_region(const isa::Instruction& i) {
  return i.op == isa::Opcode::bar || i.op == isa::Opcode::call || i.op == isa::Opcode::callx ||
         i.op == isa::Opcode::syscall;
}

std::vector<LoadUse> find_load_uses(const std::vector<isa::Instruction>& code) {
  std::vector<LoadUse> found;
  for (std::size_t n = 0; n < code.size(); ++n) {
    if (!loads_from_memory(code[n])) continue;
    BitSet loaded(kGeneralRegisters);
    for (const isa::Operand& d : code[n].dst) for_each_general(d, [&](std::size_t r) { loaded.insert(r); });
    for (std::size_t use = n + 1; use < code.size(); ++use) {
      bool uses = false;
      for (const isa::Operand& s : code[use].src)
        for_each_general(s, [&](std::size_t r) { uses = uses || loaded.contains(r); });
      if (uses) {
        found.push_back({n, use});
        break;
      }
      for (const isa::Operand& d : code[use].dst) {
        if (!is_partial(code[use])) for_each_general(d, [&](std::size_t r) { loaded.erase(r); });
      }
    }
  }
  return found;
}

class BlockCutter {
 public:
  BlockCutter(const BlockValues& values, const RegionOptions& options) : values_(values), options_(options) {
    if (options.splits_loads) pairs_ = find_load_uses(values.code());
  }

  [[nodiscard]] std::vector<Stretch> run() const {
    std::vector<Stretch> regions;
    std::size_t begin = 0;
    for (std::size_t n = 0; n < values_.size(); ++n) {
      const bool waits = n + 1 < values_.size() && options_.splits_meetings && isa::lanes_meet(values_.code()[n + 1]);
      const bool meets = ends_region(values_.code()[n]) || waits;
      if (!meets && n + 1 < values_.size()) continue;
      cut({begin, n + 1, n + 1 == values_.size() ? isa::RegionEnd::block : isa::RegionEnd::meeting}, regions);
      begin = n + 1;
    }
    return regions;
  }

 private:
  /// Why [begin, end) is no region; nothing if it is one.
  [[nodiscard]] std::optional<isa::RegionEnd> fault(std::size_t begin, std::size_t end) const {
    const bool together =
        std::any_of(pairs_.begin(), pairs_.end(), [&](const LoadUse& p) { return p.load >= begin && p.use < end; });
    if (together) return isa::RegionEnd::load;
    const BlockValues::Room room = BlockValues::room(values_.spans(begin, end), begin, end);
    const bool fits =
        room.live <= options_.most_registers &&
        std::all_of(room.banks.begin(), room.banks.end(), [&](unsigned n) { return n <= options_.most_in_bank; });
    return fits ? std::nullopt : std::optional(isa::RegionEnd::registers);
  }

  void cut(Stretch rest, std::vector<Stretch>& regions) const {
    while (fault(rest.begin, rest.end)) {
      // The first part must be a region; one instruction is one, whatever it needs.
      std::size_t most = rest.begin + 1;
      std::optional<isa::RegionEnd> why;
      while (most + 1 < rest.end && !(why = fault(rest.begin, most + 1))) ++most;
      if (!why) why = fault(rest.begin, rest.end);
      if (most == rest.end) break;
      const std::size_t at = choose(rest, most);
      regions.push_back({rest.begin, at, *why});
      rest.begin = at;
    }
    regions.push_back(rest);
  }

  /// Where to cut, so that the first part ends at `most` or before.
  [[nodiscard]] std::size_t choose(const Stretch& rest, std::size_t most) const {
    // The earliest cut that keeps the fewest loads with their uses.
    std::size_t least = rest.begin + 1;
    for (const LoadUse& pair : pairs_) {
      if (pair.load >= rest.begin && pair.load < most && pair.use < rest.end) least = std::max(least, pair.load + 1);
    }
    least = std::min(std::max(rest.begin + options_.fewest_instructions, least), most);
    const std::vector<unsigned> crossings = values_.crossings(rest.begin, rest.end);
    std::size_t best = least;
    for (std::size_t at = least; at <= most; ++at) {
      if (crossings[at - rest.begin] <= crossings[best - rest.begin]) best = at;  // of equals, the latest
    }
    return best;
  }

  const BlockValues& values_;
  const RegionOptions& options_;
  std::vector<LoadUse> pairs_;
};

}  // namespace

std::vector<Stretch> cut_block(const BlockValues& values, const RegionOptions& options) {
  return BlockCutter(values, options).run();
}

}  // namespace heddle::compile
