// What sharing costs: runs of several applications against runs of each alone (MASK, ASPLOS 2018, section 6).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/simulation.h"
#include "results/query.h"

namespace heddle::cli {

struct SharingMetrics {
  std::vector<double> shared;  ///< instructions per cycle of each application
  std::vector<double> alone;
  double weighted_speedup = 0;  ///< sum of shared / alone
  double throughput = 0;        ///< sum of shared
  double slowdown = 0;          ///< largest alone / shared
};

/// Names under which metrics of sharing are known to experiments, beside the statistics of runs.
[[nodiscard]] const std::vector<std::string>& sharing_figures();
/// One of those; nothing if it is none.
[[nodiscard]] std::optional<double> sharing_figure(const SharingMetrics& metrics, const std::string& name);

/// SMs of each application: "even" (the first get what is left over), or numbers that add up to the GPU's. Throws
/// UserError.
[[nodiscard]] std::vector<unsigned> parse_split(const std::string& split, unsigned sms, std::size_t applications);
[[nodiscard]] std::string split_text(const std::vector<unsigned>& split);

/// The run of applications together, with so many SMs each.
[[nodiscard]] RunRequest shared_request(RunRequest request, const std::vector<unsigned>& split);
/// The run of one of them alone on as many SMs of a machine.
[[nodiscard]] RunRequest alone_request(const RunRequest& request, const Application& application, unsigned sms,
                                       const MachineOptions& machine);

/// Nothing where a run has no such figures.
[[nodiscard]] std::optional<SharingMetrics> sharing_metrics(const results::RunRow& shared,
                                                            const std::vector<const results::RunRow*>& alone);

}  // namespace heddle::cli
