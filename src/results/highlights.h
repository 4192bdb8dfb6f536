// What a timed run is about, in a few figures: the same for the terminal and for reports.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace heddle::results {

struct Highlight {
  std::string name;
  std::string value;   ///< with its unit
  std::string detail;  ///< what it is of
};

struct Highlights {
  std::vector<Highlight> progress;     ///< cycles, instructions, occupancy
  std::vector<Highlight> memory;       ///< hit rates, bandwidth
  std::vector<Highlight> translation;  ///< TLBs, walks, stalls; nothing where addresses are not translated
};

/// From the totals of counters and the parameters of a machine, each by path. Empty if the run was not timed.
[[nodiscard]] Highlights highlights(const std::map<std::string, double>& statistics,
                                    const std::map<std::string, std::string>& configuration);

/// 1234567 as "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t value);

}  // namespace heddle::results
