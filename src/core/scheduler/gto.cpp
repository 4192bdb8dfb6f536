// Greedy then oldest (Rogers et al., MICRO 2012): stay with the warp that issued last while it is ready, else take the
// one that started first.
#include <array>
#include <bit>

#include "core/warp_scheduler.h"

namespace heddle::core {
namespace {

class GreedyThenOldest final : public WarpScheduler {
 public:
  void started(int warp, std::uint64_t age) override {
    const auto w = static_cast<unsigned>(warp);
    age_[w] = age;
    if (age > youngest_) {  // than all others, as is usual
      youngest_ = age;
      for (WarpSet& older : older_) older &= ~(WarpSet{1} << w);
      older_[w] = ~(WarpSet{1} << w);
      return;
    }
    for (unsigned other = 0; other < age_.size(); ++other) {
      if (other == w) continue;
      const bool first = age_[other] < age || (age_[other] == age && other < w);
      set(older_[w], other, first);
      set(older_[other], w, !first);
    }
  }
  void finished(int warp) override {
    for (int& last : last_) last = warp == last ? kNoWarp : last;
  }
  int pick(const IssueChoice& choice) override {
    if (choice.ready == 0) return kNoWarp;
    int& last = last_[choice.scheduler];
    if (last != kNoWarp && (choice.ready >> last & 1) != 0) return last;
    last = std::countr_zero(choice.ready);
    // Each step goes to an older warp; few are needed, in whatever order warps lie.
    while (const WarpSet older = older_[static_cast<unsigned>(last)] & choice.ready) last = std::countr_zero(older);
    return last;
  }

 private:
  static void set(WarpSet& warps, unsigned warp, bool in) {
    warps = (warps & ~(WarpSet{1} << warp)) | WarpSet{in} << warp;
  }

  std::array<std::uint64_t, 64> age_{};
  std::uint64_t youngest_ = 0;       ///< the greatest age so far
  std::array<WarpSet, 64> older_{};  ///< by warp: those that started before it
  std::array<int, kMostSchedulers> last_{kNoWarp, kNoWarp, kNoWarp, kNoWarp};
};

[[maybe_unused]] const bool kRegisteredGto =
    SchedulerRegistry::instance().add<GreedyThenOldest>("gto", "Greedy, then oldest.");

}  // namespace
}  // namespace heddle::core
