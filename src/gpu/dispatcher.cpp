#include "gpu/dispatcher.h"

namespace heddle::gpu {

void Dispatcher::dispatch(sim::Cycle now) {
  now_ = now;
  wakes_at_ = sim::kNever;
  bool any = false;
  for (std::size_t k = 0; k < kernels(); ++k) {
    core::KernelInstance& kernel = *submitted_[k].kernel;
    any = any || !kernel.dispatched();
    if (kernel.started) continue;
    kernel.started = true;
    kernel.started_at = now;
    kernel.first_block_at = now + launch_.latency;
    for (const auto& sm : sms_) sm->start_kernel(kernel.application, now);
  }
  if (any) policy_->dispatch(*this, now);
}

std::optional<unsigned> Dispatcher::room(std::size_t number, SmRange range, unsigned from) {
  Submitted& asking = submitted_[number];
  if (asking.kernel->first_block_at > now_) {
    wakes_at_ = std::min(wakes_at_, asking.kernel->first_block_at);
    return std::nullopt;
  }
  if (next_block_at_ >= static_cast<double>(now_ + quantum_)) {
    wakes_at_ = std::min(wakes_at_, now_ + quantum_);
    return std::nullopt;
  }
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
  next_block_at_ = std::max(next_block_at_, static_cast<double>(now_));
  sms_[sm]->start_block(kernel, kernel.next_block++, now_, static_cast<sim::Cycle>(next_block_at_));
  next_block_at_ += launch_.block_interval;
}

}  // namespace heddle::gpu
