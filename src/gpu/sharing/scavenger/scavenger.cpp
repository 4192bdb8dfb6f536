// Scavenger: a secondary application lives on what the primary leaves over (Kloosterman 2018, chapter 5).
//
// The first application is the primary. Each SM profiles, predicts and controls on its own (sm_scavenger.h); here is
// what takes the whole GPU: whose block starts where, and which blocks leave. Of an application, blocks that were
// preempted go on before new ones start; of those that leave, the youngest goes first.
#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostics.h"
#include "core/sm.h"
#include "gpu/preemption.h"
#include "gpu/sharing/scavenger/sm_scavenger.h"

namespace heddle::gpu {
namespace {

using scavenger::BlockMove;
using scavenger::SmScavenger;
using scavenger::State;
using sim::Cycle;

constexpr std::uint16_t kPrimary = 0;
constexpr std::uint16_t kSecondary = 1;
constexpr Cycle kLookAgain = 1000;  ///< while blocks are out and nothing happens

class Scavenger final : public SharingPolicy {
 public:
  using Parameters = scavenger::ScavengerParameters;
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter storage_bits{*this, "storage_bits", "bits", "What it takes in each SM.", sim::Counter::Merge::most};
    sim::Counter evicted_primary{*this, "evicted_primary", "blocks", "Of the first application, taken out."};
    sim::Counter evicted_secondary{*this, "evicted_secondary", "blocks", "Of the second application, taken out."};
  };
  explicit Scavenger(const sim::Context& context) : p_(context.parameters<Parameters>()), statistics_(context) {
    rearranges_ = true;
  }

  void attach(Floor& floor, Sms sms) override {
    if (floor.applications() > 2) {
      throw UserError(
          fmt::format("sharing.policy = scavenger: is for two applications, a primary and a secondary, not {}",
                      floor.applications()));
    }
    floor_ = &floor;
    sms_ = sms;
    out_ = Preemption(2);
    plans_.resize(sms.size());
    left_.resize(sms.size());
    const unsigned warps = sms[0]->capacity().warps;
    for (unsigned s = 0; s < sms.size(); ++s) {
      controls_.push_back(std::make_unique<SmScavenger>(p_, warps, statistics_, fmt::format("sm[{}]", s)));
      sms[s]->set_control(controls_.back().get());
    }
    statistics_.storage_bits.at_least(scavenger::storage(p_, warps, core::kMostSchedulers).bits());
  }

  void dispatch(Floor& /*floor*/, Cycle now) override { fill(now); }

  Cycle rearrange(Sms /*sms*/, Cycle now) override {
    out_.advance(sms_, now);
    std::uint64_t wanted = waiting_blocks();
    for (unsigned s = 0; s < sms_.size(); ++s) control(s, wanted, now);
    fill(now);
    if (out_.leaving()) return now + 1;
    Cycle next = out_.waiting(kPrimary) + out_.waiting(kSecondary) != 0 ? now + kLookAgain : sim::kNever;
    for (unsigned s = 0; s < sms_.size() && has_waiting(kSecondary); ++s) {
      if (!may_have_all(s, now)) next = std::min(next, left_[s].free_from);
    }
    return next;
  }

  [[nodiscard]] std::uint64_t forget(const core::KernelInstance& kernel) override { return out_.forget(kernel); }

 private:
  /// How an SM is divided while both are there.
  struct Plan {
    unsigned blocks[2] = {0, 0};     ///< by application: as many are started again when they end
    std::uint16_t first = kPrimary;  ///< of further room
  };
  /// When the secondary may have an SM that the primary has left.
  struct Leave {
    bool was_here = false;
    Cycle free_from = 0;
  };

  [[nodiscard]] bool may_have_all(unsigned s, Cycle now) const {
    return !left_[s].was_here || now >= left_[s].free_from;
  }
  [[nodiscard]] bool has_waiting(std::uint16_t application) const {
    return out_.waiting(application) != 0 || floor_->has_blocks(application);
  }
  [[nodiscard]] const core::KernelInstance* next_kernel(std::uint16_t application) const {
    if (out_.waiting(application) != 0) return &out_.first_kernel(application);
    for (std::size_t k = 0; k < floor_->kernels(); ++k) {
      const core::KernelInstance& kernel = floor_->kernel(k);
      if (kernel.application == application && !kernel.dispatched()) return &kernel;
    }
    return nullptr;
  }
  /// Blocks of the primary that are in no SM.
  [[nodiscard]] std::uint64_t waiting_blocks() const {
    std::uint64_t waiting = out_.waiting(kPrimary);
    for (std::size_t k = 0; k < floor_->kernels(); ++k) {
      const core::KernelInstance& kernel = floor_->kernel(k);
      if (kernel.application == kPrimary) waiting += kernel.blocks - kernel.next_block;
    }
    return waiting;
  }
  /// Whether so many blocks of each fit on an SM.
  [[nodiscard]] bool fits(const core::KernelInstance& primary, unsigned primaries,
                          const core::KernelInstance& secondary, unsigned secondaries) const {
    core::Sm::Use use;
    for (unsigned b = 0; b < primaries; ++b) use.add(sms_[0]->need(primary));
    for (unsigned b = 0; b < secondaries; ++b) use.add(sms_[0]->need(secondary));
    return use.within(sms_[0]->capacity());
  }
  [[nodiscard]] const core::KernelInstance* resident_kernel(unsigned s, std::uint16_t application) const {
    for (const core::Sm::BlockView& block : sms_[s]->view_blocks()) {
      if (block.kernel->application == application) return block.kernel;
    }
    return nullptr;
  }

  void evict(unsigned s, std::uint16_t application, std::size_t most, Cycle now) {
    std::vector<core::Sm::BlockView> blocks = sms_[s]->view_blocks();
    std::erase_if(blocks, [&](const core::Sm::BlockView& block) {
      return block.stopped || block.kernel->application != application;
    });
    std::sort(blocks.begin(), blocks.end(), [](const auto& one, const auto& other) { return one.order > other.order; });
    blocks.resize(std::min(most, blocks.size()));
    for (const core::Sm::BlockView& block : blocks) out_.evict(*sms_[s], block.slot, now);
    (application == kPrimary ? statistics_.evicted_primary : statistics_.evicted_secondary) += blocks.size();
  }

  /// What the SM's state wants of its blocks. `wanted`: blocks of the primary for which there is no room yet.
  void control(unsigned s, std::uint64_t& wanted, Cycle now) {
    SmScavenger& sm = *controls_[s];
    sm.settle();
    if (sm.state() != State::idle) left_[s] = {true, now + p_.grace};
    const bool has_secondary = sm.blocks(false) != 0;
    if (sm.state() == State::run) {
      if (sm.take_begin()) begin(s, now);
      const BlockMove move = sm.take_move();
      if (move.to != BlockMove::To::nobody && p_.shares && !out_.leaving(s)) apply(s, move, now);
    } else if (sm.state() != State::idle) {
      if (has_secondary) evict(s, kSecondary, ~std::size_t{0}, now);
    } else if (const core::KernelInstance* kernel = next_kernel(kPrimary); kernel != nullptr && wanted != 0) {
      // The secondary makes place for blocks of the primary that have none.
      if (has_secondary) evict(s, kSecondary, ~std::size_t{0}, now);
      unsigned room = 1;
      while (fits(*kernel, room + 1, *kernel, 0)) ++room;
      wanted -= std::min<std::uint64_t>(wanted, room);
    }
  }

  /// A run begins: the secondary gets some of its warps again, or one block.
  void begin(unsigned s, Cycle now) {
    const unsigned primaries = controls_[s]->blocks(true);
    Plan& plan = plans_[s];
    plan = {{primaries, 0}, kPrimary};
    const core::KernelInstance* primary = resident_kernel(s, kPrimary);
    const core::KernelInstance* secondary = next_kernel(kSecondary);
    if (!p_.shares || primary == nullptr || secondary == nullptr) return;
    const double warps = controls_[s]->restart_warps();
    unsigned wanted = std::max(1u, static_cast<unsigned>(warps / secondary->launch->warps_per_block));
    while (wanted != 0 && !fits(*primary, 1, *secondary, wanted)) --wanted;
    if (wanted == 0) return;  // not even one of each
    unsigned kept = primaries;
    while (kept > 1 && !fits(*primary, kept, *secondary, wanted)) --kept;
    evict(s, kPrimary, primaries - kept, now);
    plan = {{kept, wanted}, kPrimary};
  }

  void apply(unsigned s, const BlockMove& move, Cycle now) {
    const unsigned primaries = controls_[s]->blocks(true);
    const unsigned secondaries = controls_[s]->blocks(false);
    Plan& plan = plans_[s];
    if (move.starves) return feed(s, now);
    if (move.to == BlockMove::To::secondary) {
      if (primaries < 2 || !has_waiting(kSecondary)) return;
      const unsigned given = std::min(move.blocks, primaries - 1);
      evict(s, kPrimary, given, now);
      plan = {{primaries - given, secondaries}, kSecondary};
    } else {
      if (secondaries < 2 || !has_waiting(kPrimary)) return;
      const unsigned given = std::min(move.blocks, secondaries - 1);
      evict(s, kSecondary, given, now);
      plan = {{primaries, secondaries - given}, kPrimary};
    }
  }
  /// The primary gets one block more; the secondary keeps at least one.
  void feed(unsigned s, Cycle now) {
    const unsigned primaries = controls_[s]->blocks(true);
    const unsigned secondaries = controls_[s]->blocks(false);
    const core::KernelInstance* primary = next_kernel(kPrimary);
    const core::KernelInstance* secondary = resident_kernel(s, kSecondary);
    if (primary == nullptr || secondary == nullptr) return;
    unsigned given = 0;
    while (secondaries - given > 1 && !fits(*primary, primaries + 1, *secondary, secondaries - given)) ++given;
    if (!fits(*primary, primaries + 1, *secondary, secondaries - given)) return;
    evict(s, kSecondary, given, now);
    plans_[s] = {{primaries + 1, secondaries - given}, kPrimary};
  }

  [[nodiscard]] bool start(std::uint16_t application, unsigned s, Cycle now) {
    if (out_.waiting(application) != 0) return out_.resume(application, *sms_[s], now);
    for (std::size_t k = 0; k < floor_->kernels(); ++k) {
      if (floor_->kernel(k).application != application || floor_->kernel(k).dispatched()) continue;
      if (!floor_->room(k, {s, s + 1}, s)) continue;
      floor_->start(k, s);
      return true;
    }
    return false;
  }

  void fill(Cycle now) {
    // The primary first, breadth first.
    bool started = has_waiting(kPrimary);
    while (started) {
      started = false;
      for (unsigned s = 0; s < sms_.size(); ++s) {
        const bool shared = controls_[s]->state() == State::run && p_.shares;
        if (shared && (out_.leaving(s) || controls_[s]->blocks(true) >= plans_[s].blocks[kPrimary])) continue;
        started = start(kPrimary, s, now) || started;
      }
    }
    if (floor_->applications() == 1) return;
    for (unsigned s = 0; s < sms_.size(); ++s) fill_shared(s, now);
  }
  void fill_shared(unsigned s, Cycle now) {
    const SmScavenger& sm = *controls_[s];
    Plan& plan = plans_[s];
    if (out_.leaving(s)) return;
    if (sm.state() == State::idle && may_have_all(s, now)) {
      while (!has_waiting(kPrimary) && start(kSecondary, s, now)) {
      }
    }
    if (sm.state() != State::run || !p_.shares) return;
    const bool kept_free = sm.blocks(true) < plan.blocks[kPrimary] && has_waiting(kPrimary);
    while (!kept_free && sm.blocks(false) < plan.blocks[kSecondary] && start(kSecondary, s, now)) {
    }
    // No room stays that either could use.
    const auto other = static_cast<std::uint16_t>(1 - plan.first);
    for (const std::uint16_t application : {plan.first, other}) {
      while (!kept_free && start(application, s, now))
        plan.blocks[application] = std::max(plan.blocks[application], sm.blocks(application == kPrimary));
    }
  }

  const Parameters& p_;
  Statistics statistics_;
  Floor* floor_ = nullptr;
  Sms sms_;
  Preemption out_;
  std::vector<std::unique_ptr<SmScavenger>> controls_;  ///< by SM
  std::vector<Leave> left_;                             ///< likewise
  std::vector<Plan> plans_;                             ///< likewise
};

[[maybe_unused]] const bool kRegisteredScavenger = SharingPolicies::instance().add<Scavenger>(
    "scavenger", "A secondary application lives on what the primary, which has a target, leaves over.");

}  // namespace
}  // namespace heddle::gpu
