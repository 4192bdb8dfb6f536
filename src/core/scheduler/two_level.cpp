// Two-level (Narasiman et al., MICRO 2011; Gebhart et al., ISCA 2011): a small active set issues round robin; a warp
// that starts a long-latency operation, waits at a barrier or is held back leaves it, and the pending warp that has
// waited longest, of those that are ready, takes its place. (Were those to stay, the ones that they wait for might
// never come.)
#include <algorithm>
#include <bit>
#include <deque>
#include <vector>

#include "core/scheduler/round_robin.h"
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

  TwoLevel(const sim::Context& context, const SchedulerSetup& setup)
      : size_(context.parameters<Parameters>().active_warps), statistics_(context), sets_(setup.schedulers) {}

  void started(int warp, std::uint64_t /*age*/) override { set_of(warp).pending.push_back(warp); }
  void finished(int warp) override {
    set_of(warp).active &= ~bit(warp);
    std::erase(set_of(warp).pending, warp);
  }
  void long_latency(int warp, bool begins) override {
    if (begins) leave(warp);
  }
  void at_barrier(int warp, bool begins) override {
    if (begins) leave(warp);
  }
  int pick(const IssueChoice& choice) override {
    Set& set = sets_[choice.scheduler];
    for (WarpSet held = set.active & choice.barred; held != 0; held &= held - 1) leave(std::countr_zero(held));
    refill(set, choice.ready);
    const WarpSet candidates = choice.ready & set.active;
    if (candidates == 0) return kNoWarp;
    return set.last = next_in_turn(candidates, set.last);
  }

 private:
  /// Of one scheduler.
  struct Set {
    WarpSet active = 0;
    std::deque<int> pending;
    int last = 63;
  };
  static WarpSet bit(int warp) { return WarpSet{1} << warp; }
  Set& set_of(int warp) { return sets_[static_cast<std::size_t>(warp) % sets_.size()]; }

  void leave(int warp) {
    Set& set = set_of(warp);
    if ((set.active & bit(warp)) == 0) return;
    set.active &= ~bit(warp);
    set.pending.push_back(warp);
    ++statistics_.swaps;
  }
  void refill(Set& set, WarpSet ready) const {
    auto& pending = set.pending;
    for (auto it = pending.begin(); it != pending.end() && static_cast<unsigned>(std::popcount(set.active)) < size_;) {
      if ((ready & bit(*it)) != 0) {
        set.active |= bit(*it);
        it = pending.erase(it);
      } else {
        ++it;
      }
    }
  }

  unsigned size_;
  Statistics statistics_;
  std::vector<Set> sets_;
};

[[maybe_unused]] const bool kRegisteredTwoLevel =
    SchedulerRegistry::instance().add<TwoLevel>("two-level", "Two-level: a small active set, round robin within it.");

}  // namespace
}  // namespace heddle::core
