#include "gpu/sharing/scavenger/sm_scavenger.h"

#include <algorithm>
#include <bit>

#include "core/kernel.h"

namespace heddle::gpu::scavenger {

using core::WarpSet;
using sim::Cycle;

namespace {

constexpr std::uint16_t kPrimary = 0;
constexpr double kTargetScale = 1024;  ///< fractions of an instruction that the fallback's window keeps

unsigned count_warps(WarpSet warps) { return static_cast<unsigned>(std::popcount(warps)); }

}  // namespace

SmScavenger::SmScavenger(const ScavengerParameters& parameters, unsigned warps, sim::StatisticGroup& group,
                         const std::string& name)
    : p_(parameters),
      statistics_(group, name),
      predictor_(parameters),
      detector_(parameters),
      error_(parameters),
      active_(parameters, warps),
      requests_(parameters, parameters.requests),
      effective_most_(parameters.requests),
      recent_(std::max(1u, parameters.detect / parameters.interval), parameters.interval),
      recent_target_(std::max(1u, parameters.detect / parameters.interval), parameters.interval) {}

unsigned SmScavenger::resident(bool primary) const { return count_warps(primary ? primary_ : secondary_); }

unsigned SmScavenger::blocks(bool primary) const {
  return static_cast<unsigned>(
      std::count_if(blocks_.begin(), blocks_.end(), [&](const Block& block) { return block.primary == primary; }));
}

void SmScavenger::block_started(const core::KernelInstance& kernel, WarpSet warps, bool restored) {
  const bool primary = kernel.application == kPrimary;
  blocks_.push_back({warps, primary});
  (primary ? primary_ : secondary_) |= warps;
  (primary ? primary_block_ : secondary_block_) = std::max(1u, kernel.launch->warps_per_block);
  counted_ &= ~warps;
  stale_ = true;
  if (!primary) return;
  const std::uint64_t grid = kernel.launch->config.grid_id;
  const bool is_new = !restored && grid != grid_;
  if (is_new) grid_ = grid;
  if (state_ == State::idle) {
    enter_profile();
  } else if (is_new && p_.new_kernel) {
    ++statistics_.kernels;
    enter_profile();
  }
}

void SmScavenger::block_left(const core::KernelInstance& /*kernel*/, WarpSet warps) {
  std::erase_if(blocks_, [&](const Block& block) { return block.warps == warps; });
  primary_ &= ~warps;
  secondary_ &= ~warps;
  counted_ &= ~warps;
  stale_ = true;
}

void SmScavenger::settle() {
  if (primary_ != 0 || state_ == State::idle) return;
  leave_run();
  state_ = State::idle;
  begins_ = false;
  move_ = {};
  wakes_at_ = sim::kNever;
}

void SmScavenger::leave_run() {
  if (state_ != State::run) return;
  statistics_.misjudged += static_cast<std::uint64_t>(std::abs(run_predicted_ - static_cast<double>(run_actual_)));
}

void SmScavenger::enter_profile() {
  leave_run();
  if (state_ == State::run && secondary_ != 0) warps_before_ = resident(false);
  state_ = State::profile;
  predictor_.restart();
  begins_ = false;
  move_ = {};
  wakes_at_ = sim::kNever;
}

void SmScavenger::enter_run() {
  const Profile profile = predictor_.profile();
  ++statistics_.profiles;
  state_ = State::run;
  begins_ = true;
  predicted_ipc_ = profile.whole.ipc();
  target_ipc_ = p_.target * predicted_ipc_;
  run_predicted_ = 0;
  run_actual_ = 0;
  detector_.begin(profile);
  error_.clear();
  if (!has_shares_) {
    has_shares_ = true;
    active_.set(resident(true));
    requests_.set(p_.target * p_.requests);
  }
  step_instructions_ = step_cycles_ = outstanding_sum_ = stalled_sum_ = stalled_cycles_ = 0;
  ready_share_ = 0;
  issued_ = counted_ = 0;
  next_step_ = next_decision_ = sim::kNever;
  stale_ = true;
  wakes_at_ = 0;  // the next cycle says when it is
}

void SmScavenger::enter_alone() {
  ++statistics_.fallbacks;
  leave_run();
  if (secondary_ != 0) warps_before_ = resident(false);
  state_ = State::alone;
  alone_left_ = p_.alone;
  recent_.clear();
  recent_target_.clear();
  move_ = {};
  wakes_at_ = sim::kNever;
}

void SmScavenger::issued(const Issued& instruction) {
  issued_ |= WarpSet{1} << instruction.warp;
  if (instruction.application != kPrimary) return;
  if (state_ == State::run) {
    detector_.issued(instruction.pc, instruction.lanes);
    ++step_instructions_;
    ++statistics_.actual;
    ++run_actual_;
  } else if (state_ == State::profile && secondary_ == 0) {
    predictor_.issued(instruction.pc, instruction.lanes);
  }
}

void SmScavenger::accessed(std::uint16_t application, unsigned lines) {
  if (application != kPrimary) return;
  if (state_ == State::run) {
    detector_.accessed(lines);
  } else if (state_ == State::profile && secondary_ == 0) {
    predictor_.accessed(lines);
  }
}

WarpSet SmScavenger::beyond(bool primary, unsigned allowed) const {
  WarpSet held = 0;
  unsigned left = allowed;
  for (const Block& block : blocks_) {
    if (block.primary != primary) continue;
    for (WarpSet warps = block.warps & ~waiting_; warps != 0; warps &= warps - 1) {
      if (left != 0) {
        --left;
      } else {
        held |= warps & -warps;
      }
    }
  }
  return held;
}

core::IssueLimits SmScavenger::limits(const core::SmMoment& moment) {
  moment_ = moment;
  outstanding_ = 0;
  for (const std::uint32_t lines : moment.outstanding) outstanding_ += lines;
  if (state_ != State::run || !both()) {
    barred_ = 0;
    stale_ = true;
    return {};
  }
  if (stale_ || moment.waiting != waiting_) {
    stale_ = false;
    waiting_ = moment.waiting;
    const unsigned all = resident(true) + resident(false);
    const unsigned allowed = std::clamp(active_.whole(), 1u, all - 1);
    barred_ = beyond(true, allowed) | beyond(false, all - allowed);
  }
  core::IssueLimits limits{barred_, 0};
  const unsigned own = requests_.whole();
  const std::uint64_t secondary = outstanding_ - moment.outstanding[kPrimary];
  if (secondary >= p_.requests - own) limits.no_memory |= secondary_;
  if (p_.borrow ? outstanding_ >= p_.requests : moment.outstanding[kPrimary] >= own) limits.no_memory |= primary_;
  return limits;
}

void SmScavenger::run_cycle() {
  switch (detector_.cycle()) {
    case Change::none:
      return;
    case Change::lanes:
      ++statistics_.phase_lanes;
      break;
    case Change::accesses:
      ++statistics_.phase_accesses;
      break;
    case Change::pcs:
      ++statistics_.phase_pcs;
      break;
    case Change::too_long:
      ++statistics_.phase_limit;
      break;
  }
  enter_profile();
}

void SmScavenger::passed(Cycle cycles) {
  switch (state_) {
    case State::idle:
      return;
    case State::profile:
      statistics_.profile_cycles += cycles;
      if (secondary_ != 0) return;  // counting begins when it has left
      for (Cycle c = 0; c < cycles && state_ == State::profile; ++c) {
        const Predictor::Outcome outcome = predictor_.cycle();
        if (outcome == Predictor::Outcome::discarded) ++statistics_.discarded;
        if (outcome == Predictor::Outcome::accepted) enter_run();
      }
      return;
    case State::alone:
      statistics_.alone_cycles += cycles;
      alone_left_ -= std::min<std::uint64_t>(alone_left_, cycles);
      if (alone_left_ == 0) enter_profile();
      return;
    case State::run:
      break;
  }
  statistics_.run_cycles += cycles;
  run_predicted_ += predicted_ipc_ * static_cast<double>(cycles);
  carried_ += predicted_ipc_ * static_cast<double>(cycles);
  statistics_.predicted += static_cast<std::uint64_t>(carried_);
  carried_ -= std::floor(carried_);
  if (both()) {
    statistics_.shared_cycles += cycles;
    statistics_.warps_allowed += cycles * active_.whole();
    statistics_.requests_allowed += cycles * requests_.whole();
    statistics_.primary_warps += cycles * resident(true);
    statistics_.secondary_warps += cycles * resident(false);
  }
  step_cycles_ += cycles;
  const WarpSet enabled = primary_ & ~barred_;
  if (enabled != 0) {
    ready_share_ +=
        static_cast<double>(cycles) * count_warps(moment_.ready & enabled) / static_cast<double>(count_warps(enabled));
  }
  outstanding_sum_ += cycles * outstanding_;
  if (moment_.stalled) {
    stalled_cycles_ += cycles;
    stalled_sum_ += cycles * outstanding_;
  }
  for (Cycle c = 0; c < cycles && state_ == State::run; ++c) run_cycle();
}

void SmScavenger::tick(Cycle now) {
  if (state_ != State::run) {
    wakes_at_ = sim::kNever;
    return;
  }
  if (next_step_ == sim::kNever) {
    next_step_ = now + p_.interval;
    next_decision_ = now + p_.block_interval;
    counted_ = primary_ | secondary_;
    issued_ = 0;
  }
  if (now >= next_step_) {
    next_step_ = now + p_.interval;
    adjust();
  }
  if (state_ == State::run && now >= next_decision_) {
    next_decision_ = now + p_.block_interval;
    decide();
  }
  wakes_at_ = state_ == State::run ? std::min(next_step_, next_decision_) : sim::kNever;
}

void SmScavenger::adjust() {
  const double error = error_.push(step_instructions_, target_ipc_);
  recent_.push(step_instructions_);
  recent_target_.push(static_cast<std::uint64_t>(target_ipc_ * p_.interval * kTargetScale));
  if (both() && step_cycles_ != 0) {
    const auto cycles = static_cast<double>(step_cycles_);
    const double warp_slack = ready_share_ / cycles;
    if (stalled_cycles_ != 0)
      effective_most_ = std::max(1.0, static_cast<double>(stalled_sum_) / static_cast<double>(stalled_cycles_));
    const double used = static_cast<double>(outstanding_sum_) / cycles;
    const double memory_slack = std::clamp((effective_most_ - used) / effective_most_, 0.0, 1.0);
    active_.step(error, warp_slack, 1, resident(true) + resident(false) - 1.0);
    requests_.step(error, memory_slack, 1, p_.requests - 1.0);
    stale_ = true;
  }
  step_instructions_ = step_cycles_ = outstanding_sum_ = stalled_sum_ = stalled_cycles_ = 0;
  ready_share_ = 0;
  if (recent_.full() && recent_.ipc() < (1 - p_.shortfall) * recent_target_.ipc() / kTargetScale && secondary_ != 0)
    enter_alone();
}

void SmScavenger::decide() {
  const WarpSet idle = counted_ & ~issued_;
  move_ = decide_blocks(
      p_, {count_warps(idle & primary_), count_warps(idle & secondary_), primary_block_, secondary_block_});
  if (move_.to == BlockMove::To::primary) ++statistics_.to_primary;
  if (move_.to == BlockMove::To::secondary) ++statistics_.to_secondary;
  issued_ = 0;
  counted_ = primary_ | secondary_;
}

}  // namespace heddle::gpu::scavenger
