// CCWS with static wavefront limiting (Rogers et al., MICRO 2012): only the oldest warps issue, so many as the limit
// says, in turn. Papers look for the best limit by a sweep, so there is no default that means something.
//
// A warp at a barrier leaves its place to the next one, because those it waits for may be beyond the limit. Warps that
// wait for others in another way, in a loop that reads memory, may wait for ever under a limit; the watchdog says so.
#include <array>
#include <bit>

#include "core/scheduler/round_robin.h"
#include "sim/context.h"
#include "sim/statistic.h"

namespace heddle::core {
namespace {

class StaticLimit final : public WarpScheduler {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Parameter<unsigned> warps{*this, "warps", 16, {1, 64}, "warps", "Warps of an SM that may issue."};
  };
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter held_back{*this, "held_back", "issue slots", "Slots in which a ready warp was beyond the limit."};
  };
  explicit StaticLimit(const sim::Context& context)
      : limit_(context.parameters<Parameters>().warps), statistics_(context) {}

  void started(int warp, std::uint64_t age) override {
    age_[static_cast<unsigned>(warp)] = age;
    active_ |= bit(warp);
    waiting_ &= ~bit(warp);
    choose();
  }
  void finished(int warp) override {
    active_ &= ~bit(warp);
    choose();
  }
  void at_barrier(int warp, bool begins) override {
    waiting_ = begins ? waiting_ | bit(warp) : waiting_ & ~bit(warp);
    choose();
  }
  int pick(const IssueChoice& choice) override {
    const WarpSet can = choice.ready & allowed_;
    if (can != choice.ready) ++statistics_.held_back;
    if (can == 0) return kNoWarp;
    int& last = last_[choice.scheduler];
    return last = next_in_turn(can, last);
  }

 private:
  static WarpSet bit(int warp) { return WarpSet{1} << warp; }

  void choose() {
    allowed_ = active_ & ~waiting_;
    while (static_cast<unsigned>(std::popcount(allowed_)) > limit_) {
      int youngest = std::countr_zero(allowed_);
      for (WarpSet left = allowed_; left != 0; left &= left - 1) {
        const int warp = std::countr_zero(left);
        if (age_[static_cast<unsigned>(warp)] > age_[static_cast<unsigned>(youngest)]) youngest = warp;
      }
      allowed_ &= ~bit(youngest);
    }
  }

  unsigned limit_;
  Statistics statistics_;
  std::array<std::uint64_t, 64> age_{};
  WarpSet active_ = 0;
  WarpSet waiting_ = 0;  ///< at barriers
  WarpSet allowed_ = 0;
  std::array<int, kMostSchedulers> last_{63, 63, 63, 63};
};

[[maybe_unused]] const bool kRegisteredCcwsSwl = SchedulerRegistry::instance().add<StaticLimit>(
    "ccws-swl", "Static limit: only so many warps, the oldest, issue; round robin.");

}  // namespace
}  // namespace heddle::core
