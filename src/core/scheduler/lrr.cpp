// Loose round robin: the next ready warp after the one that issued last.
#include <bit>

#include "core/warp_scheduler.h"

namespace heddle::core {
namespace {

class LooseRoundRobin final : public WarpScheduler {
 public:
  void started(int /*warp*/, std::uint64_t /*age*/) override {}
  void finished(int /*warp*/) override {}
  int pick(WarpSet ready, sim::Cycle /*now*/) override {
    if (ready == 0) return kNoWarp;
    const WarpSet after = last_ == 63 ? 0 : ready & (~WarpSet{0} << (last_ + 1));
    last_ = std::countr_zero(after != 0 ? after : ready);
    return last_;
  }

 private:
  int last_ = 63;
};

[[maybe_unused]] const bool kRegistered =
    SchedulerRegistry::instance().add<LooseRoundRobin>("lrr", "Loose round robin.");

}  // namespace
}  // namespace heddle::core
