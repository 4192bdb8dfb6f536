// In a checked run: loads and stores of a warp to one place reach the L1 in the order in which they issued.
//
// A coalescer may let lines overtake others. It must not let a load overtake an earlier store of its warp to the same
// bytes, nor a store an earlier load or store. (Two loads may change places: they see one line.) In front of the plain
// coalescer, a TLB that lets hits go on under misses may do so (docs/deviations.md): there it is not checked.
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
  /// An instruction has issued that touches these lines.
  void issued(unsigned warp, bool writes, const Lines& lines) {
    for (const LineRequest& line : lines)
      waiting_[{warp, line.line.address}].push_back({line.first.instruction, line.sectors, writes});
  }
  /// The L1 has taken the line for this instruction.
  void taken(unsigned warp, memory::VirtLine line, std::uint32_t instruction) {
    const auto place = waiting_.find({warp, line.address});
    if (place == waiting_.end()) return;
    std::vector<Access>& all = place->second;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Access& a) { return a.instruction == instruction; });
    if (found == all.end()) return;
    for (auto earlier = all.begin(); earlier != found; ++earlier) {
      if ((earlier->sectors & found->sectors) == 0 || !(earlier->writes || found->writes)) continue;
      throw InvariantError(fmt::format("a {} of warp {} has overtaken an earlier {} to the same line {:#x}",
                                       found->writes ? "store" : "load", warp, earlier->writes ? "store" : "load",
                                       line.address));
    }
    all.erase(found);
    if (all.empty()) waiting_.erase(place);
  }

 private:
  struct Access {
    std::uint32_t instruction;
    std::uint32_t sectors;
    bool writes;
  };
  std::map<std::pair<unsigned, std::uint64_t>, std::vector<Access>> waiting_;  ///< by warp and line, in order of issue
};

}  // namespace heddle::core
