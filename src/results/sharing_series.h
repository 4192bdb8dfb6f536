// Charts over time of a run in which applications share the GPU.
#pragma once

#include <string>
#include <vector>

#include "results/record.h"
#include "results/report.h"

namespace heddle::results {

/// An application as a chart names it, and its instructions per cycle alone, if they are known.
struct SharingApplication {
  std::string name;
  double alone = 0;
};

/// Adds what there is of: each application's IPC, and relative to alone; states, shares and blocks of Scavenger.
void add_sharing_series(Report& report, const std::vector<SeriesRecord>& series,
                        const std::vector<SharingApplication>& applications = {});

}  // namespace heddle::results
