// The two levels of control (section 5.5): shares of warps and of requests, adjusted often; blocks, moved now and then.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/ring.h"
#include "gpu/sharing/scavenger/parameters.h"

namespace heddle::gpu::scavenger {

/// The primary's IPC over the last steps of control; of fewer, if there have not been so many.
class IpcWindow {
 public:
  IpcWindow(unsigned steps, unsigned step_cycles) : steps_(steps), step_cycles_(step_cycles) {}
  void push(std::uint64_t instructions) {
    if (ring_.size() == steps_) {
      sum_ -= ring_.front();
      ring_.pop_front();
    }
    ring_.push_back(instructions);
    sum_ += instructions;
  }
  void clear() { *this = IpcWindow(steps_, step_cycles_); }
  [[nodiscard]] bool full() const { return ring_.size() == steps_; }
  [[nodiscard]] double ipc() const {
    return ring_.empty() ? 0 : static_cast<double>(sum_) / (static_cast<double>(ring_.size()) * step_cycles_);
  }

 private:
  unsigned steps_;
  unsigned step_cycles_;
  Ring<std::uint64_t> ring_;
  std::uint64_t sum_ = 0;
};

/// How much too slow the primary is (5.5.1): the sum of gains times errors, relative to its target. Below zero it is
/// too fast. There is no derivative term, and windows are in place of an integrator.
class SpeedError {
 public:
  explicit SpeedError(const ScavengerParameters& p)
      : p_(p), short_(steps(p.short_window), p.interval), long_(steps(p.long_window), p.interval) {}
  void clear() {
    short_.clear();
    long_.clear();
  }
  /// A step has passed, in which the primary issued so many instructions.
  [[nodiscard]] double push(std::uint64_t instructions, double target_ipc) {
    short_.push(instructions);
    long_.push(instructions);
    if (target_ipc <= 0) return 0;
    return p_.proportional * (target_ipc - short_.ipc()) / target_ipc +
           p_.integral * (target_ipc - long_.ipc()) / target_ipc;
  }

 private:
  [[nodiscard]] unsigned steps(unsigned window) const { return std::max(1u, (window + p_.interval / 2) / p_.interval); }
  const ScavengerParameters& p_;
  IpcWindow short_;
  IpcWindow long_;
};

/// The primary's share of a resource. Fractions are kept between steps.
class ShareController {
 public:
  ShareController(const ScavengerParameters& p, double all) : p_(p), all_(all) {}
  void set(double share) { share_ = share; }
  /// `slack` of the resource, 0 to 1: what is too fast gives up more of what it has to spare, what is too slow gets
  /// more of what it lacks (5.5.1.3).
  void step(double error, double slack, double least, double most) {
    const double weight = std::max<double>(p_.least_weight, error > 0 ? 1 - slack : slack);
    share_ = std::clamp(share_ + error * weight * all_ * p_.scale, least, std::max(least, most));
  }
  [[nodiscard]] double share() const { return share_; }
  [[nodiscard]] unsigned whole() const { return static_cast<unsigned>(std::lround(share_)); }

 private:
  const ScavengerParameters& p_;
  double all_;
  double share_ = 0;
};

/// What the block controller wants: room for `blocks` of the giver's blocks to go to the other; or, of the primary, one
/// block more whatever that takes.
struct BlockMove {
  enum class To : std::uint8_t { nobody, primary, secondary };
  To to = To::nobody;
  unsigned blocks = 0;   ///< that the giver gives up
  bool starves = false;  ///< the primary needs one block more
};

/// `primary` and `secondary`: warps that issued nothing in the last window; then, warps of a block of each.
struct BlockSlack {
  unsigned primary = 0;
  unsigned secondary = 0;
  unsigned primary_block = 1;
  unsigned secondary_block = 1;
};
[[nodiscard]] BlockMove decide_blocks(const ScavengerParameters& p, const BlockSlack& slack);

/// Bits that all this takes in an SM (5.6.2).
struct Storage {
  unsigned profile = 0;  ///< five sets of counters with their histograms
  unsigned run = 0;      ///< two windows and a histogram
  unsigned others = 0;   ///< shares, target, timers
  [[nodiscard]] unsigned bits() const { return profile + run + others; }
};
[[nodiscard]] Storage storage(const ScavengerParameters& p, unsigned warps, unsigned schedulers);

}  // namespace heddle::gpu::scavenger
