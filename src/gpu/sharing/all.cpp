// Every kernel may use every SM. Blocks go breadth first: one to each SM that has room, round and round, older kernels
// first. A kernel that comes alone goes on behind the SM that got the last block or, if told, starts with the first SM
// again: on an H200 the single block of a kernel finds the same lines near in every launch
// (validation/h200/probes4.txt).
#include "gpu/sharing_policy.h"

namespace heddle::gpu {
namespace {

class All final : public SharingPolicy {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Flag restart{*this, "restart", false, "A kernel that comes alone starts with the first SM."};
  };
  explicit All(const sim::Context& context) : p_(context.parameters<Parameters>()) {}

  void dispatch(Floor& floor, sim::Cycle /*now*/) override {
    for (std::size_t k = 0; k < floor.kernels(); ++k) {
      if (p_.restart && k == 0 && floor.kernel(k).next_block == 0) next_ = 0;
      while (!floor.kernel(k).dispatched()) {
        const auto sm = floor.room(k, {0, floor.sms()}, next_);
        if (!sm) break;
        floor.start(k, *sm);
        next_ = (*sm + 1) % floor.sms();
      }
    }
  }

 private:
  const Parameters& p_;
  unsigned next_ = 0;
};

[[maybe_unused]] const bool kRegisteredAll =
    SharingPolicies::instance().add<All>("all", "Every kernel may use every SM, the oldest first.");

}  // namespace
}  // namespace heddle::gpu
