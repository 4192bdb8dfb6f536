// Simultaneous multi-kernel: blocks of all applications share every SM, each application up to its share of the SM's
// warps, registers, shared memory and block slots (Wang et al., HPCA 2016; in equal parts in Kloosterman 2018, section
// 5.2.3). Shares are fixed: what one does not use stays free. A block that is larger than its application's share runs
// alone of its kind.
#include "core/sm.h"
#include "gpu/shares.h"
#include "gpu/sharing_policy.h"

namespace heddle::gpu {
namespace {

class Smk final : public SharingPolicy {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Text split = shares_text(*this, "split", "What each application has of every SM, as shares (1:1, 3:1).");
  };
  explicit Smk(const sim::Context& context) : split_(context.parameters<Parameters>().split.get()) {}

  void attach(Floor& floor, Sms sms) override {
    sms_ = sms;
    const std::vector<unsigned> shares = shares_of("sharing.smk.split", split_, floor.applications());
    unsigned all = 0;
    for (const unsigned share : shares) all += share;
    const core::Sm::Use whole = sms[0]->capacity();
    for (const unsigned share : shares) {
      most_.push_back({whole.blocks * share / all, whole.warps * share / all, whole.registers / all * share,
                       whole.shared / all * share});
    }
  }

  void dispatch(Floor& floor, sim::Cycle /*now*/) override {
    // Round and round over the SMs, and at each over the kernels, so that none takes all of what blocks it finds first.
    bool started = true;
    while (started) {
      started = false;
      for (std::size_t k = 0; k < floor.kernels(); ++k) {
        for (unsigned s = 0; s < floor.sms() && !floor.kernel(k).dispatched(); ++s) {
          if (!within_share(floor.kernel(k), *sms_[s]) || !floor.room(k, {s, s + 1}, s)) continue;
          floor.start(k, s);
          started = true;
        }
      }
    }
  }

 private:
  [[nodiscard]] bool within_share(const core::KernelInstance& kernel, const core::Sm& sm) const {
    core::Sm::Use use = sm.use_of(kernel.application);
    if (use.blocks == 0) return true;
    use.add(sm.need(kernel));
    return use.within(most_[kernel.application]);
  }

  std::string split_;
  Sms sms_;
  std::vector<core::Sm::Use> most_;  ///< by application
};

[[maybe_unused]] const bool kRegisteredSmk =
    SharingPolicies::instance().add<Smk>("smk", "Every SM is divided among the applications.");

}  // namespace
}  // namespace heddle::gpu
