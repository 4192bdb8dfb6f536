// The thread compactor of thread block compaction (Fung and Aamodt, HPCA 2011; Pichai, figure 5.3).
//
// Threads that go the same way wait in a buffer per lane, ordered by the warp they are from. For each dynamic warp a
// priority encoder per lane takes the first of its buffer, so a thread keeps its lane and its registers their bank.
// With a gate, a thread joins only if it may be with all that are in already; who may not stays for a later warp, and
// the next of the same lane is tried. Lanes are asked one after the other, from lane 0 on.
#pragma once

#include <vector>

#include "base/types.h"

namespace heddle::exec {

/// Threads of a block: a mask of lanes for each of its warps.
using BlockMask = std::vector<LaneMask>;

/// Lanes of one warp in a dynamic warp.
struct DynamicPart {
  unsigned warp = 0;
  LaneMask lanes = 0;
  bool operator==(const DynamicPart&) const = default;
};
using DynamicWarp = std::vector<DynamicPart>;

class CompactionGate {
 public:
  virtual ~CompactionGate() = default;
  /// Whether a thread of a warp may be in a dynamic warp with a thread of another.
  [[nodiscard]] virtual bool may_join(unsigned warp, unsigned present) const = 0;
  /// Whether the thread in a lane of a warp may be with all that are in already: those of its own warp anyhow.
  [[nodiscard]] virtual bool admits(const DynamicWarp& formed, unsigned warp, LaneMask lane) const;
};

/// Puts all threads into dynamic warps.
[[nodiscard]] std::vector<DynamicWarp> compact(BlockMask pending, const CompactionGate* gate = nullptr);
/// Likewise, but only threads of one warp are together: the warps as they were, less those who are not here.
[[nodiscard]] std::vector<DynamicWarp> keep_apart(const BlockMask& pending);

}  // namespace heddle::exec
