// Two-level (Narasiman et al., MICRO 2011; Gebhart et al., ISCA 2011): a small active set issues round robin; a warp
// that starts a long-latency operation or waits at a barrier leaves it, and the pending warp that has waited longest,
// of those that are ready, takes its place. (Were those at a barrier to stay, the others might never get to it.)
#include <algorithm>
#include <bit>
#include <deque>

#include "core/warp_scheduler.h"
#include "sim/statistic.h"

namespace heddle::core {
namespace {

class TwoLevel final : public WarpScheduler {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Parameter<unsigned> active_warps{*this,   "active_warps", 8,
                                          {1, 64}, "warps",        "Size of the active set, per scheduler."};
  };
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter swaps{*this, "swaps", "warps", "Warps that left the active set because they wait."};
  };

  explicit TwoLevel(const sim::Context& context)
      : size_(context.parameters<Parameters>().active_warps), statistics_(context) {}

  void started(int warp, std::uint64_t /*age*/) override { pending_.push_back(warp); }
  void finished(int warp) override {
    active_ &= ~bit(warp);
    std::erase(pending_, warp);
  }
  void long_latency(int warp, bool begins) override {
    if (begins) leave(warp);
  }
  void at_barrier(int warp, bool begins) override {
    if (begins) leave(warp);
  }
  int pick(WarpSet ready, sim::Cycle /*now*/) override {
    refill(ready);
    WarpSet candidates = ready & active_;
    if (candidates == 0) return kNoWarp;
    const WarpSet after = last_ == 63 ? 0 : candidates & (~WarpSet{0} << (last_ + 1));
    last_ = std::countr_zero(after != 0 ? after : candidates);
    return last_;
  }

 private:
  static WarpSet bit(int warp) { return WarpSet{1} << warp; }

  void leave(int warp) {
    if ((active_ & bit(warp)) == 0) return;
    active_ &= ~bit(warp);
    pending_.push_back(warp);
    ++statistics_.swaps;
  }
  void refill(WarpSet ready) {
    for (auto it = pending_.begin(); it != pending_.end() && static_cast<unsigned>(std::popcount(active_)) < size_;) {
      if ((ready & bit(*it)) != 0) {
        active_ |= bit(*it);
        it = pending_.erase(it);
      } else {
        ++it;
      }
    }
  }

  unsigned size_;
  Statistics statistics_;
  WarpSet active_ = 0;
  std::deque<int> pending_;
  int last_ = 63;
};

[[maybe_unused]] const bool kRegistered =
    SchedulerRegistry::instance().add<TwoLevel>("two-level", "Two-level: a small active set, round robin within it.");

}  // namespace
}  // namespace heddle::core
