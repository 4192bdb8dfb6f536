#include "gpu/preemption.h"

#include <algorithm>

#include "core/sm.h"

namespace heddle::gpu {

void Preemption::evict(core::Sm& sm, std::uint32_t slot, sim::Cycle now) {
  const auto views = sm.view_blocks();
  const auto view = std::find_if(views.begin(), views.end(), [&](const auto& each) { return each.slot == slot; });
  sm.stop_block(slot, now);
  leaving_.push_back({sm.index(), slot, view->kernel, false});
  ++moving_out_[view->kernel->application];
}

void Preemption::advance(Sms sms, sim::Cycle now) {
  std::erase_if(leaving_, [&](Leaving& block) {
    core::Sm& sm = *sms[block.sm];
    if (!block.saves) {
      if (!sm.can_take_out(block.slot, now)) return false;
      sm.save_block(block.slot, now);
      block.saves = true;
      return false;
    }
    if (!sm.block_saved(block.slot)) return false;
    const std::uint16_t application = block.kernel->application;
    waiting_[application].push_back(sm.take_out(block.slot));
    --moving_out_[application];
    return true;
  });
}

bool Preemption::resume(std::uint16_t application, core::Sm& sm, sim::Cycle now) {
  std::deque<core::SavedBlock>& waiting = waiting_[application];
  const auto fits = std::find_if(waiting.begin(), waiting.end(),
                                 [&](const core::SavedBlock& block) { return sm.can_take(*block.kernel); });
  if (fits == waiting.end()) return false;
  core::SavedBlock block = std::move(*fits);
  waiting.erase(fits);
  sm.start_block(std::move(block), now);
  return true;
}

bool Preemption::leaving(unsigned sm) const {
  return std::any_of(leaving_.begin(), leaving_.end(), [&](const Leaving& block) { return block.sm == sm; });
}

std::uint64_t Preemption::forget(const core::KernelInstance& kernel) {
  moving_out_[kernel.application] -=
      static_cast<unsigned>(std::erase_if(leaving_, [&](const Leaving& block) { return block.kernel == &kernel; }));
  return std::erase_if(waiting_[kernel.application],
                       [&](const core::SavedBlock& block) { return block.kernel == &kernel; });
}

}  // namespace heddle::gpu
