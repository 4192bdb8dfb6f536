// Whose turn the Silver Queue of a channel is (MASK, ASPLOS 2018, section 5.4 and equation 1).
//
// Applications take turns. In its turn an application may put so many requests into the queue: its share of `most`, by
// the walks that it has under way at once times the warps that each of its TLB misses stalls. The turn goes on when
// that is used up, when an epoch ends, and at once when the application has no kernel (catalogue: silver_turn_stall).
#pragma once

#include <algorithm>
#include <vector>

#include "memory/scheduler/scheduler.h"

namespace heddle::memory {

class SilverTurns {
 public:
  SilverTurns(const DramSchedulerSetup& setup, unsigned most)
      : setup_(setup), most_(most), quotas_(setup.applications) {
    divide();
  }

  [[nodiscard]] unsigned holder() const { return holder_; }
  [[nodiscard]] unsigned quota(unsigned application) const { return quotas_[application]; }
  /// Looks whether an epoch has ended or the holder has nothing to run; true if the turn has gone on.
  bool update() {
    if (setup_.board == nullptr) return false;
    const bool new_epoch = setup_.board->epochs() != epoch_;
    if (new_epoch) {
      epoch_ = setup_.board->epochs();
      divide();
    }
    const bool over = new_epoch || !setup_.board->running(holder_);
    if (over) next();
    return over;
  }
  /// The holder has put a request into the queue; true if that was its last.
  bool inserted() {
    const bool over = ++used_ >= quotas_[holder_];
    if (over) next();
    return over;
  }

 private:
  void next() {
    used_ = 0;
    for (unsigned step = 1; step <= setup_.applications; ++step) {
      const unsigned candidate = (holder_ + step) % setup_.applications;
      if (setup_.board != nullptr && !setup_.board->running(candidate)) continue;
      holder_ = candidate;
      return;
    }
  }
  /// Equal shares if nobody has walks; one request at least, so that the turn goes round (catalogue: eq1_degenerate).
  void divide() {
    double all = 0;
    for (unsigned a = 0; a < setup_.applications && setup_.board != nullptr; ++a) all += setup_.board->load(a);
    for (unsigned a = 0; a < setup_.applications; ++a) {
      const double share = all > 0 ? setup_.board->load(a) / all : 1.0 / setup_.applications;
      quotas_[a] = std::max(1u, static_cast<unsigned>(most_ * share));
    }
  }

  DramSchedulerSetup setup_;
  unsigned most_;
  std::vector<unsigned> quotas_;
  unsigned holder_ = 0;
  unsigned used_ = 0;
  std::uint64_t epoch_ = 0;
};

}  // namespace heddle::memory
