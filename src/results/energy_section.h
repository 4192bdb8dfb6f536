// What runs took in energy, in reports.
#pragma once

#include "results/report.h"

namespace heddle::results {

/// A bar for each run by component, and a table; nothing where no run has energies. `names` are those of the runs.
void add_energy(Report& report, const std::vector<RunRow>& runs, const std::vector<std::string>& names);

}  // namespace heddle::results
