// Who is to blame for the issue slots of a cycle: what core/profiler.h says.
#include <bit>

#include "core/sm.h"

namespace heddle::core {

WarpSet Sm::waiting_for(Slot reason) const {
  switch (reason) {
    case Slot::fetch:
      return fetching_;
    case Slot::barrier:
      return at_barrier_;
    case Slot::memory_data:
      return waits_memory_;
    case Slot::result:
      return waits_result_;
    case Slot::memory_order:
      return waits_order_;
    case Slot::pipe_busy:
    case Slot::memory_queue:
    case Slot::policy:
    case Slot::operands:
      return ready_;
    default:
      return 0;
  }
}

void Sm::blame(unsigned scheduler, unsigned warp, Slot reason) {
  const Context& context = contexts_[warp];
  if (reason == Slot::barrier) return profile_->blame_last(scheduler, warp);
  const std::uint32_t pc = context.warp->path.pc;
  const bool waits = reason == Slot::memory_data || reason == Slot::result;
  if (!waits || !context.warp->parts.empty()) return profile_->blame(scheduler, warp, pc);
  RegisterSet waited;
  for (const std::uint16_t reg : context.timed->registers.all()) {
    const sim::Cycle at = written_at(warp)[reg];
    if (at > clock_ && (reason == Slot::result || at == kWhenMemoryAnswers)) waited.insert(reg);
  }
  profile_->blame_writer(scheduler, warp, waited);
}

void Sm::place_slots() {
  for (unsigned s = 0; s < p_.schedulers; ++s) {
    const Slot reason = last_slot_[s];
    if (reason == Slot::issued) {
      profile_->took_slot(s);
      continue;
    }
    profile_->lost_slot(s);
    if (reason == Slot::no_warp) continue;
    WarpSet who = waiting_for(reason) & belongs_[s];
    // A warp that was picked and could not go, waits for something else from here on.
    if (who == 0) who = (ready_ | fetching_ | waits_memory_ | waits_result_ | waits_order_) & belongs_[s];
    for (WarpSet left = who; left != 0; left &= left - 1)
      blame(s, static_cast<unsigned>(std::countr_zero(left)), reason);
  }
}

}  // namespace heddle::core
