// Operand collectors: each holds an instruction from issue to dispatch. They are taken in turn; the one that comes next
// is the one that was taken longest ago.
#pragma once

#include <vector>

#include "sim/time.h"

namespace heddle::core {

class Collectors {
 public:
  explicit Collectors(unsigned count) : free_at_(count, 0) {}

  /// An instruction that issues now is dispatched at `at`. Returns from when on another can be taken.
  sim::Cycle take(sim::Cycle at) {
    free_at_[next_] = at + 1;
    next_ = next_ + 1 == free_at_.size() ? 0 : next_ + 1;
    return free_at_[next_];
  }

 private:
  std::vector<sim::Cycle> free_at_;
  std::size_t next_ = 0;
};

}  // namespace heddle::core
