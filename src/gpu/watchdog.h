// Notices a machine that is busy and gets nothing done: requests that are tried again and again, walks that every flush
// makes start anew. (A machine in which nobody wakes any more is the engine's to notice.)
#pragma once

#include <cstdint>

#include "sim/time.h"

namespace heddle::gpu {

class Watchdog {
 public:
  /// `bound` in cycles; 0: never.
  explicit Watchdog(sim::Cycle bound) : bound_(bound) {}

  /// Asked now and then. `done` counts what gets a program further; `excused`: the machine waits for the outside.
  [[nodiscard]] bool stuck(sim::Cycle now, std::uint64_t done, bool excused) {
    if (done != done_ || excused || now < since_) {
      done_ = done;
      since_ = now;
    }
    return bound_ != 0 && now - since_ >= bound_;
  }
  /// Until now there was nothing that could be done.
  void start(sim::Cycle now) { since_ = now; }

 private:
  sim::Cycle bound_;
  sim::Cycle since_ = 0;
  std::uint64_t done_ = 0;
};

}  // namespace heddle::gpu
