// How many memory instructions wait to issue, and what issues while the L1 can take nothing (Kloosterman 2018, section
// 3.2.2, Figures 3.3 and 3.4).
//
// An instruction waits if it could issue by its operands, accesses global or local memory or is a fence, and does not
// issue in the cycle. What has issued and is in a queue of the load/store unit does not wait any more. The L1 is full
// while the load/store unit waits for a miss entry, for a place among the waiters of one, or for a way of a set.
#pragma once

#include <algorithm>

#include "core/sm_statistics.h"
#include "sim/time.h"

namespace heddle::core {

class WaitingStudy {
 public:
  struct Statistics : sim::StatisticGroup {
    explicit Statistics(sim::StatisticGroup& parent) : StatisticGroup(parent, "waiting_study") {}
    sim::Counter waiting{*this, "waiting", "instruction cycles",
                         "Memory instructions that could issue by their operands and did not, summed over cycles."};
    sim::Counter some{*this, "some", "core cycles", "Cycles with one or more of those."};
    sim::Counter full{*this, "full", "core cycles", "Cycles in which the L1 had no resources for the next line."};
    sim::Counter full_lanes{*this, "full_lanes", "lanes", "Lanes of arithmetic instructions that issued in those."};
    sim::Counter other_lanes{*this, "other_lanes", "lanes", "Lanes of those that issued in other cycles."};
  };
  WaitingStudy(sim::StatisticGroup& parent, const SmStatistics& counts) : statistics_(parent), counts_(counts) {}

  /// A cycle's issue begins with so many memory instructions that could issue.
  void ready(unsigned instructions) {
    ready_ = instructions;
    issued_before_ = counts_.memory_instructions.value();
  }
  /// So many cycles have passed since the last call: what happened, happened in the first of them.
  void passed(sim::Cycle cycles) {
    const auto issued = static_cast<unsigned>(counts_.memory_instructions.value() - issued_before_);
    const unsigned waiting = ready_ - std::min(ready_, issued);
    statistics_.waiting += waiting * cycles;
    if (waiting != 0) statistics_.some += cycles;
    const std::uint64_t stalls = l1_stalls();
    const std::uint64_t lanes = arithmetic_lanes();
    statistics_.full += stalls - stalls_;
    (stalls != stalls_ ? statistics_.full_lanes : statistics_.other_lanes) += lanes - lanes_;
    stalls_ = stalls;
    lanes_ = lanes;
  }

 private:
  [[nodiscard]] std::uint64_t l1_stalls() const {
    return counts_.stall_miss_table.value() + counts_.stall_merge.value() + counts_.stall_reserved.value();
  }
  [[nodiscard]] std::uint64_t arithmetic_lanes() const {
    std::uint64_t lanes = 0;
    for (const sim::Counter& pipe : counts_.pipe_lanes) lanes += pipe.value();
    return lanes;
  }

  Statistics statistics_;
  const SmStatistics& counts_;
  unsigned ready_ = 0;
  std::uint64_t issued_before_ = 0;
  std::uint64_t stalls_ = 0;
  std::uint64_t lanes_ = 0;
};

}  // namespace heddle::core
