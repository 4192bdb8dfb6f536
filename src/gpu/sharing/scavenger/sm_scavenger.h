// Scavenger in one SM (Kloosterman 2018, chapter 5): a state machine that profiles the primary alone, then lets the
// secondary in and keeps the primary at its target by what each may issue and ask of memory, and by blocks.
//
//   idle     no block of the primary is here; the secondary may have all
//   profile  the secondary has to leave; counting begins when it has; ends when the predictor accepts
//   run      both; every `interval` cycles shares are adjusted, every `block_interval` blocks move; ends when the phase
//            changes, a new kernel comes, or after max_run
//   alone    the target could not be held: the primary has all for a while, then profiles again
//
// Blocks are the policy's (scavenger.cpp): it looks between quanta at what each SM wants.
#pragma once

#include <utility>
#include <vector>

#include "core/sm_control.h"
#include "gpu/sharing/scavenger/controllers.h"
#include "gpu/sharing/scavenger/phase_detector.h"
#include "sim/statistic.h"

namespace heddle::gpu::scavenger {

enum class State : std::uint8_t { idle, profile, run, alone };

struct SmScavengerStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter profile_cycles{*this, "profile_cycles", "core cycles",
                              "Spent profiling, the time to get there included."};
  sim::Counter run_cycles{*this, "run_cycles", "core cycles", "Spent after a profile, where the second may run."};
  sim::Counter alone_cycles{*this, "alone_cycles", "core cycles", "Spent in the fallback."};
  sim::Counter shared_cycles{*this, "shared_cycles", "core cycles", "Of run_cycles, those with blocks of both."};
  sim::Counter profiles{*this, "profiles", "profiles", "Accepted."};
  sim::Counter discarded{*this, "discarded", "profiles", "That did not settle, and began anew."};
  sim::Counter phase_lanes{*this, "phase_lanes", "times", "Active lanes told of another phase."};
  sim::Counter phase_accesses{*this, "phase_accesses", "times", "Lines per memory instruction told of another phase."};
  sim::Counter phase_pcs{*this, "phase_pcs", "times", "Histograms told of another phase."};
  sim::Counter phase_limit{*this, "phase_limit", "times", "A run was as long as it may be."};
  sim::Counter kernels{*this, "kernels", "times", "A new kernel ended a run, a profile or a fallback."};
  sim::Counter fallbacks{*this, "fallbacks", "times", "The target could not be held."};
  sim::Counter to_primary{*this, "to_primary", "times", "Blocks moved for the first application."};
  sim::Counter to_secondary{*this, "to_secondary", "times", "Blocks moved for the second application."};
  sim::Counter predicted{*this, "predicted", "warp instructions",
                         "That the first would have issued alone in run_cycles."};
  sim::Counter actual{*this, "actual", "warp instructions", "That it issued in run_cycles."};
  sim::Counter misjudged{*this, "misjudged", "warp instructions",
                         "By which predictions were off, added up over runs; a run in progress is not counted."};
  sim::Counter warps_allowed{*this, "warps_allowed", "warp cycles",
                             "Warps of the first that might issue, in shared_cycles."};
  sim::Counter requests_allowed{*this, "requests_allowed", "line cycles",
                                "Requests that were the first's, in shared_cycles."};
  sim::Counter primary_warps{*this, "primary_warps", "warp cycles", "Resident warps of the first, in shared_cycles."};
  sim::Counter secondary_warps{*this, "secondary_warps", "warp cycles",
                               "Resident warps of the second, in shared_cycles."};
};

class SmScavenger final : public core::SmControl {
 public:
  SmScavenger(const ScavengerParameters& parameters, unsigned warps, sim::StatisticGroup& group,
              const std::string& name);

  void block_started(const core::KernelInstance& kernel, core::WarpSet warps, bool restored) override;
  void block_left(const core::KernelInstance& kernel, core::WarpSet warps) override;
  void issued(const Issued& instruction) override;
  void accessed(std::uint16_t application, unsigned lines) override;
  [[nodiscard]] core::IssueLimits limits(const core::SmMoment& moment) override;
  void passed(sim::Cycle cycles) override;
  void tick(sim::Cycle now) override;

  // Between quanta.
  /// All that has come and gone has.
  void settle();
  [[nodiscard]] State state() const { return state_; }
  /// A run has begun since the last call: the warps that the second had before, times what it gets again.
  [[nodiscard]] bool take_begin() { return std::exchange(begins_, false); }
  [[nodiscard]] double restart_warps() const { return p_.restart * warps_before_; }
  [[nodiscard]] BlockMove take_move() { return std::exchange(move_, {}); }
  /// Blocks of one application, those that leave included.
  [[nodiscard]] unsigned blocks(bool primary) const;

 private:
  struct Block {
    core::WarpSet warps = 0;
    bool primary = false;
  };
  void enter_profile();
  void enter_run();
  void enter_alone();
  void leave_run();
  void run_cycle();
  void adjust();
  void decide();
  /// Of the blocks of one application, oldest first: the warps beyond the first `allowed` that could issue.
  [[nodiscard]] core::WarpSet beyond(bool primary, unsigned allowed) const;
  [[nodiscard]] unsigned resident(bool primary) const;
  [[nodiscard]] bool both() const { return primary_ != 0 && secondary_ != 0; }

  const ScavengerParameters& p_;
  SmScavengerStatistics statistics_;
  State state_ = State::idle;
  std::vector<Block> blocks_;  ///< oldest first
  core::WarpSet primary_ = 0;
  core::WarpSet secondary_ = 0;
  std::uint64_t grid_ = 0;  ///< the primary's newest kernel here
  unsigned primary_block_ = 1;
  unsigned secondary_block_ = 1;

  Predictor predictor_;
  PhaseDetector detector_;
  double predicted_ipc_ = 0;
  double target_ipc_ = 0;
  double carried_ = 0;            ///< of a predicted instruction
  double run_predicted_ = 0;      ///< since the run began
  std::uint64_t run_actual_ = 0;  ///< likewise

  SpeedError error_;
  ShareController active_;
  ShareController requests_;
  bool has_shares_ = false;  ///< from an earlier run
  core::SmMoment moment_;
  core::WarpSet barred_ = 0;
  core::WarpSet waiting_ = 0;  ///< when barred_ was made
  bool stale_ = true;          ///< barred_ has to be made anew
  std::uint64_t outstanding_ = 0;
  // Since the last step.
  std::uint64_t step_instructions_ = 0;
  std::uint64_t step_cycles_ = 0;
  double ready_share_ = 0;
  std::uint64_t outstanding_sum_ = 0;
  std::uint64_t stalled_sum_ = 0;
  std::uint64_t stalled_cycles_ = 0;
  double effective_most_;  ///< requests outstanding when the load/store unit stalled
  IpcWindow recent_;       ///< for the fallback
  IpcWindow recent_target_;

  sim::Cycle next_step_ = sim::kNever;
  sim::Cycle next_decision_ = sim::kNever;
  core::WarpSet issued_ = 0;   ///< since the last decision
  core::WarpSet counted_ = 0;  ///< resident since the last decision
  BlockMove move_;
  bool begins_ = false;
  unsigned warps_before_ = 0;
  std::uint64_t alone_left_ = 0;
};

}  // namespace heddle::gpu::scavenger
