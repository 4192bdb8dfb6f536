// Keeps loads and stores of a thread to one place in order where later ones may pass those that wait for translations.
//
// A group of lines that is sent away (for a walk, for an entry, until no walk is under way) is entered here with the
// lines that have not been to the L1. A line of a later group that shares a thread with it and touches the same bytes
// waits until it has, if one of the two writes. Counts by a hash of the line say quickly that there is nothing to wait
// for.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/line_group.h"

namespace heddle::core {

class AwayLines {
 public:
  [[nodiscard]] bool empty() const { return away_.empty(); }

  void add(std::uint32_t index, LineGroup& group) {
    if (group.overtaken) return;
    group.overtaken = true;
    away_.push_back(index);
    for (const LineRequest& line : group.lines) {
      if (!line.accessed) ++count(group, line);
    }
  }
  /// A line of such a group has been to the L1.
  void accessed(const LineGroup& group, const LineRequest& line) { --count(group, line); }
  /// All lines of the group have.
  void ended(std::uint32_t index) { std::erase(away_, index); }

  /// Whether an earlier group must go to the line first.
  [[nodiscard]] bool blocks(const LineGroup& group, const LineRequest& line, const GroupPool& groups) const {
    const std::size_t bucket = bucket_of(line);
    const bool loads = group.kind == MemoryKind::load;
    if (writes_[bucket] == 0 && (loads || reads_[bucket] == 0)) return false;
    return std::any_of(away_.begin(), away_.end(), [&](std::uint32_t index) {
      const LineGroup& other = groups.at(index);
      if (other.sequence >= group.sequence || (loads && other.kind == MemoryKind::load)) return false;
      return std::any_of(other.lines.begin(), other.lines.end(), [&](const LineRequest& earlier) {
        return !earlier.accessed && earlier.line == line.line && (earlier.sectors & line.sectors) != 0 &&
               share_thread(group, line, other, earlier);
      });
    });
  }

 private:
  static constexpr std::size_t kBuckets = 256;

  [[nodiscard]] static std::size_t bucket_of(const LineRequest& line) {
    return (line.line.address >> 7 ^ line.line.address >> 15) % kBuckets;
  }
  [[nodiscard]] std::uint32_t& count(const LineGroup& group, const LineRequest& line) {
    return (group.kind == MemoryKind::load ? reads_ : writes_)[bucket_of(line)];
  }
  /// Warps keep their order; lanes that were compacted keep theirs, each its own.
  [[nodiscard]] static bool share_thread(const LineGroup& group, const LineRequest& line, const LineGroup& other,
                                         const LineRequest& earlier) {
    if (!group.compacted && !other.compacted) return group.warp == other.warp;
    for (LaneMask left = line.first.lanes & earlier.first.lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      if (group.home_of(lane) == other.home_of(lane)) return true;
    }
    return false;
  }

  std::vector<std::uint32_t> away_;  ///< groups
  std::array<std::uint32_t, kBuckets> reads_{};
  std::array<std::uint32_t, kBuckets> writes_{};
};

}  // namespace heddle::core
