// Drives channels as the reference simulator was driven, and measures what it reported.
//
// The reference is DRAMsim3; tests/memory/data says with which timings, patterns and rates, and what came out.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "memory/dram_parameters.h"

namespace heddle::memory {

/// One line of a comma-separated file, by the names of its columns.
using Line = std::map<std::string, std::string>;
/// Lines that start with '#' are comments; the first other line names the columns.
[[nodiscard]] std::vector<Line> read_table(const std::string& path);

struct Measured {
  double efficiency = 0;  ///< share of the peak bandwidth
  double latency = 0;     ///< mean cycles of a read from the controller's queue to its last data; NaN without reads
  double row_hit_rate = 0;
};

/// Parameters with the organisation, timing, queues and mapping of a line of dram_timing.csv.
struct ReferenceParameters : DramParameters {
  ReferenceParameters(const Line& timing, bool closed);
};

/// What our channels do for one line of dram.csv, over `cycles` cycles after a tenth as many to warm up.
[[nodiscard]] Measured replay(const Line& timing, const Line& reference, std::uint64_t cycles);

}  // namespace heddle::memory
