// Plug point: which kernel's next block starts on which SM.
//
// A policy is asked after every quantum. It sees the kernels that may run, oldest first, and starts blocks where they
// fit. What it decides may depend on nothing but what it sees and what it remembers, so that runs repeat.
#pragma once

#include <optional>

#include "core/kernel.h"
#include "sim/parameter.h"
#include "sim/registry.h"

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
};

class SharingPolicy {
 public:
  virtual ~SharingPolicy() = default;
  virtual void dispatch(Floor& floor, sim::Cycle now) = 0;
};

using SharingPolicies = sim::Registry<SharingPolicy>;

struct SharingParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Plug<SharingPolicies> policy{*this, "policy", "all", "Which application's blocks run on which SM."};
};

}  // namespace heddle::gpu
