// Gives the blocks of submitted kernels to SMs, as the sharing policy says.
//
// Asking every SM for room after every quantum would cost more than all else in the serial step: an SM that had no room
// for a kernel's blocks is asked again when something has changed there.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/kernel.h"
#include "core/sm.h"
#include "gpu/parameters.h"
#include "gpu/sharing_policy.h"

namespace heddle::gpu {

class Dispatcher final : private Floor {
 public:
  Dispatcher(const GpuParameters& parameters, std::span<const std::unique_ptr<core::Sm>> sms, unsigned applications,
             sim::Cycle quantum, sim::StatisticGroup& statistics)
      : launch_(parameters.launch),
        sms_(sms),
        most_(parameters.kernels),
        applications_(applications),
        quantum_(quantum),
        policy_(parameters.sharing.policy.make(statistics, "")) {
    policy_->attach(*this, sms_);
  }

  void submit(core::KernelInstance& kernel) { submitted_.push_back({&kernel, std::vector<bool>(sms_.size(), false)}); }
  /// The SM may have room again.
  void changed(unsigned sm) {
    for (Submitted& each : submitted_) each.refused[sm] = false;
  }
  void dispatch(sim::Cycle now);
  /// Lets the policy move blocks. Returns by when it wants to be asked again.
  [[nodiscard]] sim::Cycle rearrange(sim::Cycle now) {
    if (!policy_->rearranges()) return sim::kNever;
    const sim::Cycle next = policy_->rearrange(sms_, now);
    for (unsigned s = 0; s < sms_.size(); ++s) changed(s);
    return next;
  }
  /// When blocks that could not start yet, though there was room, may; kNever: there are none.
  [[nodiscard]] sim::Cycle wakes_at() const { return wakes_at_; }
  /// The kernel ends before its time: how many of its blocks were in no SM.
  [[nodiscard]] std::uint64_t forget(const core::KernelInstance& kernel) { return policy_->forget(kernel); }
  /// Gives no more blocks of the kernels that are submitted now to SMs.
  void cut() {
    for (Submitted& each : submitted_) each.kernel->cut();
  }
  /// Calls f(kernel) for those that have ended, and forgets them.
  template <typename Function>
  void retire(Function&& f) {
    std::erase_if(submitted_, [&](const Submitted& each) {
      if (!each.kernel->done()) return false;
      f(*each.kernel);
      return true;
    });
  }
  template <typename Function>
  void for_each(Function&& f) const {
    for (const Submitted& each : submitted_) f(*each.kernel);
  }
  /// Kernels that have not ended.
  [[nodiscard]] std::size_t running() const { return submitted_.size(); }

 private:
  struct Submitted {
    core::KernelInstance* kernel = nullptr;
    std::vector<bool> refused;  ///< by SM: it had no room, and nothing has changed there since
  };

  [[nodiscard]] unsigned sms() const override { return static_cast<unsigned>(sms_.size()); }
  [[nodiscard]] unsigned applications() const override { return applications_; }
  [[nodiscard]] std::size_t kernels() const override { return std::min<std::size_t>(submitted_.size(), most_); }
  [[nodiscard]] const core::KernelInstance& kernel(std::size_t number) const override {
    return *submitted_[number].kernel;
  }
  [[nodiscard]] std::optional<unsigned> room(std::size_t kernel, SmRange range, unsigned from) override;
  void start(std::size_t kernel, unsigned sm) override;

  const LaunchParameters& launch_;
  std::span<const std::unique_ptr<core::Sm>> sms_;
  std::size_t most_;
  unsigned applications_;
  sim::Cycle quantum_;
  std::unique_ptr<SharingPolicy> policy_;
  std::vector<Submitted> submitted_;  ///< oldest first
  sim::Cycle now_ = 0;
  double next_block_at_ = 0;
  sim::Cycle wakes_at_ = sim::kNever;
};

}  // namespace heddle::gpu
