// Notices that a path goes round a loop in which nothing changes: it waits for somebody else to change memory.
#pragma once

#include <cstdint>

#include "exec/warp.h"

namespace heddle::exec {

/// Counts backward branches of a slot. Whether registers and predicates come back to what they were is looked at ever
/// more rarely, so that loops which do change something cost next to nothing. State that comes back within a few rounds
/// of the same branch counts: a loop with another loop inside is seen, one with a long cycle of states is not.
class SpinWatch {
 public:
  void restart() { *this = {}; }
  /// The slot is about to take a branch backwards; `timed`: after reading a clock or sleeping.
  void goes_back(const Warp& slot, bool timed);
  /// Whether the path, when last looked at, was in a state it had been in before.
  [[nodiscard]] bool spins() const { return repeats_ != 0; }
  [[nodiscard]] std::uint64_t rounds() const { return rounds_; }
  /// The last rounds, in each of which it read a clock or slept.
  [[nodiscard]] std::uint64_t timed_rounds() const { return timed_rounds_; }
  /// Rounds since it was first seen to spin; not counted from anew while it goes on.
  [[nodiscard]] std::uint64_t spinning_rounds() const { return spins() ? rounds_ - spins_since_ : 0; }

 private:
  static constexpr std::uint64_t kFirstLook = 4;
  static constexpr std::uint64_t kLongestPause = 4096;
  static constexpr unsigned kComparisons = 4;  ///< times that the same branch is compared with one state

  std::uint64_t rounds_ = 0;
  std::uint64_t timed_rounds_ = 0;
  std::uint64_t next_look_ = kFirstLook;
  std::uint64_t state_ = 0;
  std::uint64_t spins_since_ = 0;
  std::uint64_t repeats_ = 0;
  std::uint32_t pc_ = 0;
  unsigned comparisons_ = 0;  ///< still to be made
};

}  // namespace heddle::exec
