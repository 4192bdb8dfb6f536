// What tells runs apart: the variants of a sweep or of any other set of runs.
#pragma once

#include <string>
#include <vector>

#include "cli/run_pool.h"
#include "results/query.h"

namespace heddle::cli {

/// The keys on which the runs differ beyond workload and seed: GPU, design, size, kind of input, parameters that were
/// set.
[[nodiscard]] std::vector<std::string> varying_keys(const std::vector<results::RunRow>& runs);

/// A run's variant: "power-d3 sm.l1.kib=48".
[[nodiscard]] std::string variant_name(const results::RunRow& run, const std::vector<std::string>& keys);
/// The same without the names of parameters, which a legend says once: "power-d3, 48".
[[nodiscard]] std::string short_variant_name(const results::RunRow& run, const std::vector<std::string>& keys);
/// What the legend says: the keys, where their values alone do not tell.
[[nodiscard]] std::string legend_of(const std::vector<std::string>& keys);

/// The runs of a sweep file.
struct SweepRuns {
  study::Sweep sweep;
  std::vector<results::RunRow> rows;  ///< those that have passed, under the names that the sweep gives them
  std::size_t planned = 0;
};
/// Throws UserError if none has passed.
[[nodiscard]] SweepRuns sweep_runs(const std::string& file, const results::Database& database);

}  // namespace heddle::cli
