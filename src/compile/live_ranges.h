// Where values of virtual registers live, as segments with holes, and what physical registers hold.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "isa/instruction.h"

namespace heddle::compile {

/// Positions: instruction i reads at 2i and writes at 2i+1.
struct LiveSegment {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;  ///< exclusive
};

struct LiveRange {
  std::vector<LiveSegment> segments;  ///< sorted, disjoint
  double weight = 0;                  ///< reads and writes, more in loops
  std::uint32_t hint = isa::kNoRegister;
  [[nodiscard]] std::uint32_t begin() const { return segments.front().begin; }
  [[nodiscard]] std::uint64_t length() const {
    std::uint64_t sum = 0;
    for (const LiveSegment& s : segments) sum += s.end - s.begin;
    return sum;
  }
};

/// What each physical register holds, as segments by start.
class HeldRegisters {
 public:
  explicit HeldRegisters(std::size_t count) : held_(count) {}

  [[nodiscard]] bool is_free(std::size_t reg, const LiveRange& range) const {
    const auto& held = held_[reg];
    for (const LiveSegment& s : range.segments) {
      auto next = held.lower_bound(s.begin);
      if (next != held.end() && next->first < s.end) return false;
      if (next != held.begin() && std::prev(next)->second.first > s.begin) return false;
    }
    return true;
  }
  void take(std::size_t reg, const LiveRange& range, std::uint32_t owner) {
    for (const LiveSegment& s : range.segments) held_[reg][s.begin] = {s.end, owner};
  }
  void release(std::size_t reg, const LiveRange& range) {
    for (const LiveSegment& s : range.segments) held_[reg].erase(s.begin);
  }
  /// Owners whose segments overlap the range.
  template <typename Function>
  void for_each_conflict(std::size_t reg, const LiveRange& range, Function&& f) const {
    const auto& held = held_[reg];
    for (const LiveSegment& s : range.segments) {
      auto next = held.lower_bound(s.begin);
      if (next != held.begin() && std::prev(next)->second.first > s.begin) f(std::prev(next)->second.second);
      for (; next != held.end() && next->first < s.end; ++next) f(next->second.second);
    }
  }

 private:
  std::vector<std::map<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>>> held_;  ///< begin -> end, owner
};

}  // namespace heddle::compile
