// Cache-conscious scheduling: scores rise when a warp misses a line in the L1 that it had there before.
#pragma once

#include "core/scheduler/locality_scheduler.h"

namespace heddle::core {

class CacheConscious : public LocalityScheduler {
 protected:
  /// What a victim tag weighs whose translation missed the TLB, or did not.
  struct Weights {
    unsigned walked = 1;
    unsigned other = 1;
  };
  CacheConscious(const sim::Context& context, const LostLocalityParameters& parameters, const SchedulerSetup& setup,
                 const Weights& weights);

 private:
  void l1(const L1Lookup& lookup) final;
  void l1_evicted(memory::LineTag line, unsigned owner) final;

  Weights weights_;
  unsigned line_shift_;
};

}  // namespace heddle::core
