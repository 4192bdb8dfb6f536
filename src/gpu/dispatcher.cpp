#include "gpu/dispatcher.h"

namespace heddle::gpu {

void Dispatcher::dispatch(sim::Cycle now) {
  now_ = now;
  bool any = false;
  for (std::size_t k = 0; k < kernels(); ++k) {
    core::KernelInstance& kernel = *submitted_[k].kernel;
    any = any || !kernel.dispatched();
    if (kernel.started) continue;
    kernel.started = true;
    kernel.started_at = now;
    for (const auto& sm : sms_) sm->start_kernel(kernel.application, now);
  }
  if (any) policy_->dispatch(*this, now);
}

std::optional<unsigned> Dispatcher::room(std::size_t number, SmRange range, unsigned from) {
  Submitted& asking = submitted_[number];
  unsigned sm = from;
  for (unsigned asked = range.first; asked < range.last; ++asked) {
    if (!asking.refused[sm]) {
      if (sms_[sm]->can_take(*asking.kernel)) return sm;
      asking.refused[sm] = true;
    }
    sm = sm + 1 == range.last ? range.first : sm + 1;
  }
  return std::nullopt;
}

void Dispatcher::start(std::size_t number, unsigned sm) {
  core::KernelInstance& kernel = *submitted_[number].kernel;
  sms_[sm]->start_block(kernel, kernel.next_block++, now_);
}

}  // namespace heddle::gpu
