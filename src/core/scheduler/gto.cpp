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
    for (int& last : last_) last = warp == last ? kNoWarp : last;
  }
  int pick(const IssueChoice& choice) override {
    if (choice.ready == 0) return kNoWarp;
    int& last = last_[choice.scheduler];
    if (last != kNoWarp && (choice.ready >> last & 1) != 0) return last;
    last = std::countr_zero(choice.ready);
    for (WarpSet left = choice.ready; left != 0; left &= left - 1) {
      const int warp = std::countr_zero(left);
      if (age_[static_cast<unsigned>(warp)] < age_[static_cast<unsigned>(last)]) last = warp;
    }
    return last;
  }

 private:
  std::array<std::uint64_t, 64> age_{};
  std::array<int, kMostSchedulers> last_{kNoWarp, kNoWarp, kNoWarp, kNoWarp};
};

[[maybe_unused]] const bool kRegistered =
    SchedulerRegistry::instance().add<GreedyThenOldest>("gto", "Greedy, then oldest.");

}  // namespace
}  // namespace heddle::core
