// Greedy then oldest (Rogers et al., MICRO 2012): stay with the warp that issued last while it is ready, else take the
// one that started first.
#include <array>
#include <bit>

#include "core/warp_scheduler.h"

namespace heddle::core {
namespace {

class GreedyThenOldest final : public WarpScheduler {
 public:
  void started(int warp, std::uint64_t age) override { age_[static_cast<unsigned>(warp)] = age; }
  void finished(int warp) override {
    if (warp == last_) last_ = kNoWarp;
  }
  int pick(WarpSet ready, sim::Cycle /*now*/) override {
    if (ready == 0) return kNoWarp;
    if (last_ != kNoWarp && (ready >> last_ & 1) != 0) return last_;
    last_ = std::countr_zero(ready);
    for (WarpSet left = ready; left != 0; left &= left - 1) {
      const int warp = std::countr_zero(left);
      if (age_[static_cast<unsigned>(warp)] < age_[static_cast<unsigned>(last_)]) last_ = warp;
    }
    return last_;
  }

 private:
  std::array<std::uint64_t, 64> age_{};
  int last_ = kNoWarp;
};

[[maybe_unused]] const bool kRegistered =
    SchedulerRegistry::instance().add<GreedyThenOldest>("gto", "Greedy, then oldest.");

}  // namespace
}  // namespace heddle::core
