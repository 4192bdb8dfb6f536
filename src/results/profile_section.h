// The profile by line of a run, in reports; and what the reasons for lost issue slots are called.
#pragma once

#include <array>
#include <vector>

#include "results/report.h"

namespace heddle::results {

struct SlotReason {
  const char* name;     ///< in tables for programs, and in LineRecord::counts
  const char* heading;  ///< for people
};
inline constexpr std::array<SlotReason, 11> kSlotReasons{{
    {"issued", "issue"},
    {"memory_data", "data"},
    {"result", "result"},
    {"barrier", "barrier"},
    {"fetch", "fetch"},
    {"memory_queue", "queue"},
    {"pipe_busy", "pipe"},
    {"memory_order", "order"},
    {"policy", "policy"},
    {"operands", "operand"},
    {"no_warp", "no warp"},
}};

/// The dearest lines as bars, and all of them as a table; nothing of a run without a profile.
void add_profile(Report& report, const std::vector<LineRecord>& lines);

}  // namespace heddle::results
