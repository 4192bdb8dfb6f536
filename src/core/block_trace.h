// When blocks ran on an SM, for a timeline. Written by the SM's shard alone; read when nothing runs.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/time.h"

namespace heddle::core {

struct BlockSpan {
  std::uint64_t grid_id = 0;  ///< of the launch
  std::uint64_t block = 0;
  std::uint32_t slot = 0;  ///< of the SM
  sim::Cycle begin = 0;
  sim::Cycle end = 0;
};

struct BlockTrace {
  std::size_t most = 0;  ///< spans to keep; 0: nothing is traced
  sim::Cycle from = 0;
  sim::Cycle to = ~sim::Cycle{0};
  std::vector<BlockSpan> spans;
  std::uint64_t dropped = 0;  ///< spans inside the window beyond the most

  void add(const BlockSpan& span) {
    if (most == 0 || span.end < from || span.begin > to) return;
    if (spans.size() < most) {
      spans.push_back(span);
    } else {
      ++dropped;
    }
  }
};

}  // namespace heddle::core
