// Blocks that leave SMs before their end and go on later, there or elsewhere.
//
// A block that is to leave is stopped; when all that it has under way has ended, its context is written to memory; then
// it is out, and waits. One that goes on takes its place in an SM at once and issues when its context has been read.
// Both cost time and traffic like any other access (core/context_mover.h).
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "core/saved_block.h"
#include "gpu/sharing_policy.h"

namespace heddle::gpu {

class Preemption {
 public:
  explicit Preemption(unsigned applications = 1) : waiting_(applications), moving_out_(applications) {}

  /// The block in this slot is to leave.
  void evict(core::Sm& sm, std::uint32_t slot, sim::Cycle now);
  /// Goes on with those that leave; call it after every quantum.
  void advance(Sms sms, sim::Cycle now);
  /// Starts the block of the application that has waited longest of those that fit on the SM.
  bool resume(std::uint16_t application, core::Sm& sm, sim::Cycle now);

  /// Blocks that leave an SM, or any.
  [[nodiscard]] bool leaving(unsigned sm) const;
  [[nodiscard]] bool leaving() const { return !leaving_.empty(); }
  /// Blocks of the application that are out.
  [[nodiscard]] std::size_t waiting(std::uint16_t application) const { return waiting_[application].size(); }
  /// Those that are out or leave.
  [[nodiscard]] bool any_out(std::uint16_t application) const {
    return !waiting_[application].empty() || moving_out_[application] != 0;
  }
  /// The first of those that are out; there is one.
  [[nodiscard]] const core::KernelInstance& first_kernel(std::uint16_t application) const {
    return *waiting_[application].front().kernel;
  }
  /// For SharingPolicy::forget().
  [[nodiscard]] std::uint64_t forget(const core::KernelInstance& kernel);

 private:
  struct Leaving {
    unsigned sm = 0;
    std::uint32_t slot = 0;
    const core::KernelInstance* kernel = nullptr;
    bool saves = false;  ///< its context is being written
  };
  std::vector<Leaving> leaving_;
  std::vector<std::deque<core::SavedBlock>> waiting_;  ///< by application, in the order in which they left
  std::vector<unsigned> moving_out_;                   ///< by application, how many of leaving_
};

}  // namespace heddle::gpu
