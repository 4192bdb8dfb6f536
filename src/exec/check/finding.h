// What a check found wrong in a program, and the list of it.
//
// The same fault at the same instruction is one finding, however often it happens: the first is kept in full, the
// others are counted. The list is bounded; what does not fit is counted as well.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/types.h"
#include "isa/instruction.h"

namespace heddle::exec {

class Code;

enum class FindingKind : std::uint8_t {
  out_of_bounds,
  use_after_free,
  uninitialised,
  race,
  divergent_barrier,
};

/// An instruction as one thread executed it.
struct ThreadPlace {
  const Code* code = nullptr;
  std::uint64_t grid_id = 0;
  std::uint32_t pc = 0;
  Dim3 block{0, 0, 0};
  Dim3 thread{0, 0, 0};
};

struct Finding {
  FindingKind kind = FindingKind::out_of_bounds;
  ThreadPlace place;
  std::string access;  ///< "read of 4 bytes", "atomic of 4 bytes"; empty: no access
  std::uint64_t address = 0;
  std::string detail;     ///< about the allocation, or about the lanes; one sentence
  std::string other_did;  ///< what another thread did: "written by", "freed by"; empty: there is none
  ThreadPlace other;
  std::uint64_t times = 1;
};

class Findings {
 public:
  static constexpr std::size_t kMost = 100;

  void add(Finding finding) {
    ++total_;
    const auto key = std::tuple(finding.kind, finding.place.code, finding.place.pc, finding.other.pc);
    const auto found = by_place_.find(key);
    if (found != by_place_.end()) {
      ++all_[found->second].times;
    } else if (all_.size() < kMost) {
      by_place_[key] = all_.size();
      all_.push_back(std::move(finding));
    } else {
      ++left_out_;
    }
  }
  [[nodiscard]] const std::vector<Finding>& all() const { return all_; }
  /// Faults, those at the same places and those that did not fit included.
  [[nodiscard]] std::uint64_t total() const { return total_; }
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

 private:
  std::vector<Finding> all_;
  std::map<std::tuple<FindingKind, const Code*, std::uint32_t, std::uint32_t>, std::size_t> by_place_;
  std::uint64_t total_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace heddle::exec
