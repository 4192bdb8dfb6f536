// What changed between two runs: in what was asked for, and in what came out.
#pragma once

#include <string>
#include <vector>

#include "results/query.h"

namespace heddle::results {

struct Change {
  std::string name;
  Value a;
  Value b;
  double relative = 0;  ///< (b - a) / a for numbers; 0 when there is none
};

struct Difference {
  std::vector<Change> asked;       ///< workload, size, seed, version, parameters
  std::vector<Change> outcome;     ///< cycles, instructions, ipc, ...: those that differ
  std::vector<Change> statistics;  ///< the counters that differ, the largest relative change first
};

[[nodiscard]] Difference difference(const RunRow& a, const RunRow& b);
/// For people: at most `most` statistics.
[[nodiscard]] std::string to_text(const Difference& difference, const RunRow& a, const RunRow& b, std::size_t most);

}  // namespace heddle::results
