#include "memory/channel.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::memory {

using sim::Cycle;

Channel::Channel(const Setup& setup)
    : queue_(setup.queue),
      way_(setup.way),
      dram_(setup.parameters, setup.statistics, fmt::format("dram[{}]", setup.index),
            {setup.applications, setup.board}),
      admission_(setup.parameters.admission.make(dram_.statistics(), "")),
      clock_(setup.parameters.clock_mhz, setup.core_mhz) {}

bool Channel::step(Cycle now, std::vector<std::uint32_t>& done) {
  bool moved = false;
  tick_ = std::max(tick_, clock_.ticks_before(now));
  for (const DramCycle until = clock_.ticks_before(now + 1); tick_ < until; ++tick_) {
    moved |= feed(now);
    if (next_tick_ > tick_) continue;
    const std::size_t before = done.size();
    dram_.tick(tick_, done);
    if (dram_.take_room()) ask_ = true;
    in_flight_ -= done.size() - before;
    next_tick_ = dram_.next_event(tick_ + 1);
  }
  may_enter_ = ask_ && !waiting_.empty() && admission_->choose(waiting_, dram_).has_value();
  ask_ = may_enter_;
  return moved;
}

bool Channel::feed(Cycle now) {
  while (!on_way_.empty() && on_way_.front().arrival <= now && !queue_full()) {
    waiting_.push_back(on_way_.front().request);
    on_way_.pop_front();
    ask_ = true;
  }
  if (!ask_ || waiting_.empty()) return false;
  bool moved = false;
  while (const auto chosen = admission_->choose(waiting_, dram_)) {
    dram_.push(waiting_[*chosen], tick_);
    waiting_.erase(*chosen);
    ++in_flight_;
    next_tick_ = std::min(next_tick_, tick_);
    moved = true;
  }
  ask_ = false;
  return moved;
}

Cycle Channel::next(Cycle from) const {
  if (may_enter_) return from;
  Cycle next = sim::kNever;
  if (!on_way_.empty() && !queue_full()) next = on_way_.front().arrival;
  if (next_tick_ != kNeverDram) next = std::min(next, clock_.cycle_of(next_tick_));
  return next == sim::kNever ? next : std::max(next, from);
}

}  // namespace heddle::memory
