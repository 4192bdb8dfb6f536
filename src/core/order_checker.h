// In a checked run: loads and stores of a warp to one place reach the L1 in the order in which they issued.
//
// A coalescer or a TLB may let lines overtake others. It must not let a load overtake an earlier store of its warp to
// the same bytes, nor a store an earlier load or store. (Two loads may change places: they see one line.) Of warps that
// were compacted, each thread is looked at by itself.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "core/line_group.h"

namespace heddle::core {

class OrderChecker {
 public:
  /// An instruction has issued that touches the lines of this group.
  void issued(const LineGroup& group) {
    const bool writes = group.kind != MemoryKind::load;
    for (const LineRequest& line : group.lines) {
      if (!group.compacted) {
        enter(line, group.warp, ~LaneMask{0}, writes);
        continue;
      }
      std::map<unsigned, LaneMask> of_warp;
      for (LaneMask left = line.first.lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        of_warp[group.home_of(lane)] |= LaneMask{1} << lane;
      }
      for (const auto& [warp, lanes] : of_warp) enter(line, warp, lanes, writes);
    }
  }
  /// The L1 has taken the line for this instruction.
  void taken(memory::VirtLine line, std::uint32_t instruction) {
    const auto place = waiting_.find(line.address);
    if (place == waiting_.end()) return;
    std::vector<Access>& all = place->second;
    for (std::size_t own = 0; own < all.size(); ++own) {
      if (all[own].instruction == instruction) judge(all, own, line);
    }
    std::erase_if(all, [&](const Access& access) { return access.instruction == instruction; });
    if (all.empty()) waiting_.erase(place);
  }

 private:
  struct Access {
    std::uint32_t instruction;
    std::uint32_t sectors;
    unsigned warp;
    LaneMask lanes;  ///< whose order counts
    bool writes;
  };

  void enter(const LineRequest& line, unsigned warp, LaneMask lanes, bool writes) {
    waiting_[line.line.address].push_back({line.first.instruction, line.sectors, warp, lanes, writes});
  }
  static void judge(const std::vector<Access>& all, std::size_t own, memory::VirtLine line) {
    const Access& access = all[own];
    for (std::size_t e = 0; e < own; ++e) {
      const Access& earlier = all[e];
      if (earlier.instruction == access.instruction || earlier.warp != access.warp ||
          (earlier.lanes & access.lanes) == 0 || (earlier.sectors & access.sectors) == 0 ||
          !(earlier.writes || access.writes))
        continue;
      throw InvariantError(fmt::format("a {} of warp {} has overtaken an earlier {} to the same line {:#x}",
                                       access.writes ? "store" : "load", access.warp, earlier.writes ? "store" : "load",
                                       line.address));
    }
  }

  std::map<std::uint64_t, std::vector<Access>> waiting_;  ///< by line, in order of issue
};

}  // namespace heddle::core
