// Each application has SMs of its own, next to each other; blocks go breadth first within them.
#include <numeric>
#include <vector>

#include "base/diagnostics.h"
#include "gpu/shares.h"
#include "gpu/sharing_policy.h"

namespace heddle::gpu {
namespace {

class Spatial final : public SharingPolicy {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Text split = shares_text(*this, "split", "SMs of each application, as shares (15:15, 1:3).");
  };
  explicit Spatial(const sim::Context& context) : split_(context.parameters<Parameters>().split.get()) {}

  void dispatch(Floor& floor, sim::Cycle /*now*/) override {
    if (ranges_.empty()) divide(floor);
    for (std::size_t k = 0; k < floor.kernels(); ++k) {
      const unsigned application = floor.kernel(k).application;
      const SmRange range = ranges_[application];
      while (!floor.kernel(k).dispatched()) {
        const auto sm = floor.room(k, range, next_[application]);
        if (!sm) break;
        floor.start(k, *sm);
        next_[application] = *sm + 1 == range.last ? range.first : *sm + 1;
      }
    }
  }

 private:
  void divide(const Floor& floor) {
    const std::vector<unsigned> shares = shares_of("sharing.spatial.split", split_, floor.applications());
    const unsigned all = std::accumulate(shares.begin(), shares.end(), 0u);
    unsigned sum = 0;
    for (const unsigned share : shares) {
      const unsigned first = floor.sms() * sum / all;
      sum += share;
      ranges_.push_back({first, floor.sms() * sum / all});
      next_.push_back(first);
      if (ranges_.back().first == ranges_.back().last)
        throw UserError("sharing.spatial.split = " + split_ + ": an application has no SM");
    }
  }

  std::string split_;
  std::vector<SmRange> ranges_;  ///< by application
  std::vector<unsigned> next_;
};

[[maybe_unused]] const bool kRegisteredSpatial =
    SharingPolicies::instance().add<Spatial>("spatial", "Each application has SMs of its own.");

}  // namespace
}  // namespace heddle::gpu
