// Applications that share a GPU: runs of all together and of each alone, for one division of the SMs or for the best.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/run_pool.h"
#include "cli/sharing_metrics.h"

namespace heddle::cli {

/// The run of all together for one division of the SMs, and that of each alone.
struct MixRuns {
  PlannedRun shared;
  std::vector<PlannedRun> alone;
};
/// `alone` says on what machine each runs alone, apart from the number of SMs.
[[nodiscard]] MixRuns plan_mix(const RunRequest& request, const std::vector<Application>& applications,
                               const std::vector<unsigned>& split, const MachineOptions& alone);
/// What came of them; nothing if one is missing.
[[nodiscard]] std::optional<SharingMetrics> metrics_of(const MixRuns& runs,
                                                       const std::map<std::string, results::RunRow>& rows);

struct MixRequest {
  RunRequest run;
  std::string split = "even";       ///< "even", "whole", "oracle", or numbers of SMs
  std::string alone;                ///< design of the runs alone
  std::string sharing = "spatial";  ///< sharing.policy
  double target = 0;                ///< of scavenger, in percent; 0: its parameter's
  unsigned step = 1;                ///< SMs by which the divisions differ that the oracle tries
  std::string database;
  unsigned jobs = 1;
  bool quiet = false;
};

struct MixResult {
  std::vector<Application> applications;
  std::vector<unsigned> split;
  SharingMetrics metrics;
  results::RunRow shared;
  std::size_t tried = 0;                                      ///< divisions
  std::map<std::vector<unsigned>, SharingMetrics> divisions;  ///< what came of each that was tried
  bool whole = false;                                         ///< each may use all SMs
};

/// Runs what the database does not have. Throws UserError if a run fails.
[[nodiscard]] MixResult run_mix(const MixRequest& request);

}  // namespace heddle::cli
