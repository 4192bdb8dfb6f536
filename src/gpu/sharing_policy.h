// Plug point: which kernel's next block starts on which SM, and which blocks stop and move.
//
// A policy is asked after every quantum. It sees the kernels that may run, oldest first, and starts blocks where they
// fit. What it decides may depend on nothing but what it sees and what it remembers, so that runs repeat.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "core/kernel.h"
#include "sim/parameter.h"
#include "sim/registry.h"

namespace heddle::core {
class Sm;
}

namespace heddle::gpu {

/// SMs with numbers from `first` up to, not including, `last`.
struct SmRange {
  unsigned first = 0;
  unsigned last = 0;
};

/// What a policy sees and does.
class Floor {
 public:
  virtual ~Floor() = default;
  [[nodiscard]] virtual unsigned sms() const = 0;
  [[nodiscard]] virtual unsigned applications() const = 0;
  /// Kernels that may run now, the oldest is number 0.
  [[nodiscard]] virtual std::size_t kernels() const = 0;
  [[nodiscard]] virtual const core::KernelInstance& kernel(std::size_t number) const = 0;
  /// The first SM of the range, from `from` on and round again, on which a block of the kernel fits.
  [[nodiscard]] virtual std::optional<unsigned> room(std::size_t kernel, SmRange range, unsigned from) = 0;
  /// Starts the kernel's next block; it has one, and the SM has room.
  virtual void start(std::size_t kernel, unsigned sm) = 0;
  /// Whether a kernel of the application has blocks that were given to no SM.
  [[nodiscard]] bool has_blocks(std::uint16_t application) const {
    for (std::size_t k = 0; k < kernels(); ++k) {
      if (kernel(k).application == application && !kernel(k).dispatched()) return true;
    }
    return false;
  }
};

using Sms = std::span<const std::unique_ptr<core::Sm>>;

class SharingPolicy {
 public:
  virtual ~SharingPolicy() = default;
  /// Once, before anything runs. Both stay.
  virtual void attach(Floor& floor, Sms sms) {
    (void)floor;
    (void)sms;
  }
  virtual void dispatch(Floor& floor, sim::Cycle now) = 0;
  /// Whether rearrange() is to be called.
  [[nodiscard]] bool rearranges() const { return rearranges_; }
  /// After dispatch: may stop blocks, take them out of SMs and start them again (core/sm.h). While it returns a cycle
  /// other than kNever, it is called again by then.
  virtual sim::Cycle rearrange(Sms sms, sim::Cycle now) {
    (void)sms;
    (void)now;
    return sim::kNever;
  }
  /// The kernel ends before its time, and its blocks are taken out of SMs by others. Returns how many of its blocks are
  /// in no SM; they are gone.
  [[nodiscard]] virtual std::uint64_t forget(const core::KernelInstance& kernel) {
    (void)kernel;
    return 0;
  }

 protected:
  bool rearranges_ = false;
};

using SharingPolicies = sim::Registry<SharingPolicy>;

struct SharingParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Plug<SharingPolicies> policy{*this, "policy", "all", "Which application's blocks run on which SM."};
  sim::Flag relaunch{*this, "relaunch", false,
                     "An application that has ended is started again until each has ended once; what is told of it is "
                     "its first run."};
  sim::Choice until{
      *this, "until", "all", {"all", "first"}, "Who must have ended once, with relaunch: each of them, or the first."};
  sim::Parameter<unsigned> window{
      *this,
      "window",
      0,
      {0, 4000000000u},
      "core cycles",
      "The run ends after so many cycles, and what is told of an application is its run so far; 0: never."};
  sim::Parameter<unsigned> epoch{
      *this,         "epoch",
      100000,        {1000, 1000000000},
      "core cycles", "How often mechanisms that adapt to the applications look at what they counted."};
};

}  // namespace heddle::gpu
