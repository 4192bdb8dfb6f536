// Lines that have come back and are handed to those they serve, one per cycle (Kloosterman 2018, section 3.3.7) or as
// many as are asked for. While it is full the L1 gives back nothing.
#pragma once

#include "base/ring.h"
#include "sim/time.h"

namespace heddle::core {

class WriteBackQueue {
 public:
  WriteBackQueue(unsigned entries, unsigned per_cycle) : entries_(entries), per_cycle_(per_cycle) {}

  [[nodiscard]] bool full(sim::Cycle now) {
    while (!ends_.empty() && ends_.front() <= now) ends_.pop_front();
    return ends_.size() >= entries_;
  }
  /// A line that serves so many has come; the cycle in which the first of them has its data.
  [[nodiscard]] sim::Cycle add(std::size_t served, sim::Cycle now) {
    const sim::Cycle first = now > free_at_ ? now : free_at_;
    free_at_ = first + (served + per_cycle_ - 1) / per_cycle_;
    ends_.push_back(free_at_);
    return first;
  }

 private:
  std::size_t entries_;
  std::size_t per_cycle_;
  Ring<sim::Cycle> ends_;  ///< when each line has been handed out
  sim::Cycle free_at_ = 0;
};

}  // namespace heddle::core
