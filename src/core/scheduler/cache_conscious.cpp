#include "core/scheduler/cache_conscious.h"

#include <bit>

namespace heddle::core {

CacheConscious::CacheConscious(const sim::Context& context, const LostLocalityParameters& parameters,
                               const SchedulerSetup& setup, const Weights& weights)
    : LocalityScheduler(context, parameters, setup,
                        {setup.l1_lines, kAddressBits - static_cast<unsigned>(std::countr_zero(setup.line_bytes))}),
      weights_(weights),
      line_shift_(static_cast<unsigned>(std::countr_zero(setup.line_bytes))) {}

void CacheConscious::l1(const L1Lookup& lookup) {
  if (lookup.hit || !tags_.take(lookup.warp, lookup.line.bits() >> line_shift_)) return;
  ++statistics_.lost;
  if (lookup.walked) ++statistics_.lost_walked;
  scores_.lost(lookup.warp, lookup.walked ? weights_.walked : weights_.other, lookup.now);
}

void CacheConscious::l1_evicted(memory::LineTag line, unsigned owner) {
  tags_.insert(owner, line.bits() >> line_shift_);
}

}  // namespace heddle::core
