// Applications take turns on the whole GPU. At a switch every block that runs is stopped and saved to memory; blocks of
// the next application go on, those that were saved first. A turn ends early when its application has nothing to do.
#include "core/sm.h"
#include "gpu/preemption.h"
#include "gpu/shares.h"

namespace heddle::gpu {
namespace {

using sim::Cycle;

class Temporal final : public SharingPolicy {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Parameter<unsigned> round{
        *this, "round", 1000000, {1000, 1000000000}, "core cycles", "The turns of all applications together."};
    sim::Text split = shares_text(*this, "split", "Time of each application, as shares (9:1).");
  };
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter switches{*this, "switches", "times", "Times that the GPU went from one application to another."};
    sim::Counter switching{*this, "switching", "core cycles", "From the end of a turn until no block of it is left."};
  };
  explicit Temporal(const sim::Context& context) : p_(context.parameters<Parameters>()), statistics_(context) {
    rearranges_ = true;
  }

  void attach(Floor& floor, Sms /*sms*/) override {
    floor_ = &floor;
    out_ = Preemption(floor.applications());
    const std::vector<unsigned> shares = shares_of("sharing.temporal.split", p_.split.get(), floor.applications());
    Cycle all = 0;
    for (const unsigned share : shares) all += share;
    for (const unsigned share : shares) turns_.push_back(p_.round * Cycle{share} / all);
    ends_at_ = turns_[0];
  }

  void dispatch(Floor& floor, Cycle /*now*/) override {
    if (out_.leaving() || out_.waiting(current_) != 0) return;  // what was begun goes on first
    for (std::size_t k = 0; k < floor.kernels(); ++k) {
      while (floor.kernel(k).application == current_ && !floor.kernel(k).dispatched()) {
        const auto sm = floor.room(k, {0, floor.sms()}, next_);
        if (!sm) break;
        floor.start(k, *sm);
        next_ = (*sm + 1) % floor.sms();
      }
    }
  }

  Cycle rearrange(Sms sms, Cycle now) override {
    const bool left = out_.leaving();
    out_.advance(sms, now);
    if (out_.leaving()) return now + 1;
    if (left) statistics_.switching += now - ended_at_;
    const std::uint16_t before = current_;
    if (now >= ends_at_ || !has_work(current_)) take_turn(sms, now);
    if (out_.leaving()) return now + 1;
    for (const auto& sm : sms) {
      while (out_.resume(current_, *sm, now)) {
      }
    }
    if (left || current_ != before) return now + 1;  // blocks of the new turn start at the next dispatch
    return floor_->kernels() == 0 ? sim::kNever : std::max(ends_at_, now + 1);
  }

  [[nodiscard]] std::uint64_t forget(const core::KernelInstance& kernel) override { return out_.forget(kernel); }

 private:
  [[nodiscard]] bool has_work(std::uint16_t application) const {
    for (std::size_t k = 0; k < floor_->kernels(); ++k) {
      if (floor_->kernel(k).application == application && !floor_->kernel(k).done()) return true;
    }
    return false;
  }
  /// Goes to the next application that has something to do, if there is another.
  void take_turn(Sms sms, Cycle now) {
    auto next = current_;
    do {
      next = static_cast<std::uint16_t>((next + 1) % turns_.size());
    } while (next != current_ && (turns_[next] == 0 || !has_work(next)));
    ends_at_ = now + std::max<Cycle>(turns_[next], 1);
    if (next == current_) return;
    ++statistics_.switches;
    current_ = next;
    ended_at_ = now;
    for (const auto& sm : sms) {
      for (const core::Sm::BlockView& block : sm->view_blocks()) {
        if (block.kernel->application != current_ && !block.stopped) out_.evict(*sm, block.slot, now);
      }
    }
  }

  const Parameters& p_;
  Statistics statistics_;
  Floor* floor_ = nullptr;
  Preemption out_;
  std::vector<Cycle> turns_;  ///< by application
  std::uint16_t current_ = 0;
  Cycle ends_at_ = 0;
  Cycle ended_at_ = 0;  ///< the turn before
  unsigned next_ = 0;
};

[[maybe_unused]] const bool kRegisteredTemporal =
    SharingPolicies::instance().add<Temporal>("temporal", "Applications take turns on the whole GPU.");

}  // namespace
}  // namespace heddle::gpu
