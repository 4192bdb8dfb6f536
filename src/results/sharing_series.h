// Charts over time of a run in which applications share the GPU.
#pragma once

#include <vector>

#include "results/record.h"
#include "results/report.h"

namespace heddle::results {

/// Adds what there is of: each application's IPC; states, shares and blocks of Scavenger.
void add_sharing_series(Report& report, const std::vector<SeriesRecord>& series);

}  // namespace heddle::results
