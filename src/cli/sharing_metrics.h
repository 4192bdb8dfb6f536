// What sharing costs: runs of several applications against runs of each alone (MASK, ASPLOS 2018, section 6), and what
// a primary with a target and a secondary make of it (Kloosterman 2018, section 5.6).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/first_runs.h"
#include "cli/simulation.h"
#include "results/query.h"

namespace heddle::cli {

struct SharingMetrics {
  std::vector<double> shared;  ///< instructions per cycle of each application
  std::vector<double> alone;
  double weighted_speedup = 0;  ///< sum of shared / alone
  double throughput = 0;        ///< sum of shared
  double slowdown = 0;          ///< largest alone / shared
  double target = 0;            ///< of the first, relative to alone
  double secondary = 0;         ///< what the second did in all the time, runs again included, relative to alone

  [[nodiscard]] double primary() const { return shared[0] / alone[0]; }
  /// Within a percent (5.6.5).
  [[nodiscard]] bool met() const { return primary() >= target - 0.01; }
  /// For each dollar that the whole GPU brings: the target's share of it, and one cent for each percent of the second
  /// (5.6.6).
  [[nodiscard]] double revenue() const { return target + secondary; }
};

/// What sharing_figures() names, for the reference: without "mix.".
[[nodiscard]] const std::vector<SharedFigure>& sharing_descriptions();
/// Names under which metrics of sharing are known to experiments, beside the statistics of runs.
[[nodiscard]] const std::vector<std::string>& sharing_figures();
/// One of those; nothing if it is none.
[[nodiscard]] std::optional<double> sharing_figure(const SharingMetrics& metrics, const std::string& name);

/// SMs of each application: "even" (the first get what is left over), "whole" (each may use all), or numbers that add
/// up to the GPU's. Throws UserError.
[[nodiscard]] std::vector<unsigned> parse_split(const std::string& split, unsigned sms, std::size_t applications);
/// Whether each may use all SMs.
[[nodiscard]] bool is_whole(const std::vector<unsigned>& split, unsigned sms);
[[nodiscard]] std::string split_text(const std::vector<unsigned>& split);

/// The run of applications together, with so many SMs each; where these are more than there are, the machine's own
/// sharing policy says who has which.
[[nodiscard]] RunRequest shared_request(RunRequest request, const std::vector<unsigned>& split);
/// The run of one of them alone on as many SMs of a machine.
[[nodiscard]] RunRequest alone_request(const RunRequest& request, const Application& application, unsigned sms,
                                       const MachineOptions& machine);

/// Nothing where a run has no such figures.
[[nodiscard]] std::optional<SharingMetrics> sharing_metrics(const results::RunRow& shared,
                                                            const std::vector<const results::RunRow*>& alone);

}  // namespace heddle::cli
