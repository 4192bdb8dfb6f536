// Every kernel may use every SM. Blocks go breadth first: one to each SM that has room, round and round, older kernels
// first.
#include "gpu/sharing_policy.h"

namespace heddle::gpu {
namespace {

class All final : public SharingPolicy {
 public:
  void dispatch(Floor& floor, sim::Cycle /*now*/) override {
    for (std::size_t k = 0; k < floor.kernels(); ++k) {
      while (!floor.kernel(k).dispatched()) {
        const auto sm = floor.room(k, {0, floor.sms()}, next_);
        if (!sm) break;
        floor.start(k, *sm);
        next_ = (*sm + 1) % floor.sms();
      }
    }
  }

 private:
  unsigned next_ = 0;
};

[[maybe_unused]] const bool kRegisteredAll =
    SharingPolicies::instance().add<All>("all", "Every kernel may use every SM, the oldest first.");

}  // namespace
}  // namespace heddle::gpu
