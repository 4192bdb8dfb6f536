// Loose round robin: the next ready warp after the one that issued last.
#include <array>

#include "core/scheduler/round_robin.h"

namespace heddle::core {
namespace {

class LooseRoundRobin final : public WarpScheduler {
 public:
  void started(int /*warp*/, std::uint64_t /*age*/) override {}
  void finished(int /*warp*/) override {}
  int pick(const IssueChoice& choice) override {
    if (choice.ready == 0) return kNoWarp;
    int& last = last_[choice.scheduler];
    return last = next_in_turn(choice.ready, last);
  }

 private:
  std::array<int, kMostSchedulers> last_{63, 63, 63, 63};
};

[[maybe_unused]] const bool kRegisteredLrr =
    SchedulerRegistry::instance().add<LooseRoundRobin>("lrr", "Loose round robin.");

}  // namespace
}  // namespace heddle::core
