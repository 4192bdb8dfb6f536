// An experiment: the runs behind a figure or table of a paper, what is derived from them, and the claims it answers.
//
//   title = "Figure 6: performance of MMU designs relative to an ideal MMU"
//   chapter = 4                          # optional
//   gpu = "power-2014"
//   size = "small"                       # optional
//   seeds = [1]                          # optional
//   workloads = ["bfs", "nw"]
//   designs = ["ideal", "power-d1"]
//   baseline = "ideal"                   # the design others are measured against
//   metric = "cycles"                    # of one run: an expression as in 'heddle results'
//   relative = "baseline / design"       # or "design / baseline", or "none"
//   shows = "performance relative to ideal"
//   mean = "geometric"                   # or "arithmetic"
//   [[answer]]
//   claim = "W12_design1_avg"            # of experiments/claims/PAPER.toml
//   design = "power-d1"
//   over = "mean"                        # or "each", or the names of workloads: the claim must hold for every one;
//                                        # "largest" or "smallest": for the workload whose x is that
//   value = "100 * x"                    # from the derived metric x to the unit of the claim
//   against = "power-d2"                 # optional: another baseline
//   metric, relative                     # optional: another metric
//   order = ["power-d1", "power-d3"]     # for claims about an order, instead of design and value: x rises
//   highest = ["gaussian", "lud"]        # for claims that compare workloads, instead of over and value: x of each of
//                                        # these on the design is above that of every other; likewise lowest
//   among = ["bfs", "nw"]                # optional, with highest or lowest: those they are compared with
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/diagnostics.h"
#include "results/expression.h"
#include "study/claim.h"
#include "study/sweep_file.h"

namespace heddle::study {

enum class Relative : std::uint8_t { none, baseline_over_design, design_over_baseline };

struct Metric {
  results::Expression of_run{"cycles"};
  Relative relative = Relative::baseline_over_design;
  std::string baseline;
};

/// What of the workloads a claim is about.
enum class Over : std::uint8_t {
  mean,
  each,      ///< every one of those named, or of all
  largest,   ///< the one whose value is largest
  smallest,  ///< the one whose value is smallest
  highest,   ///< those named have higher values than the others
  lowest,    ///< those named have lower values than the others
};

struct Answer {
  Claim claim;
  std::string design;
  Over over = Over::mean;
  std::vector<std::string> workloads;  ///< those named; empty: all
  std::vector<std::string> others;     ///< whom `highest` and `lowest` compare them with
  Metric metric;
  results::Expression value{"x"};
  std::vector<std::string> order;
};

struct Experiment {
  std::string file;
  std::map<std::string, SourcePlace> places;  ///< in it: of each name and metric that only a build of the program knows
  std::string paper;
  std::string figure;
  std::string title;
  int chapter = 0;
  std::string gpu;
  std::string size;
  std::vector<std::string> seeds;
  std::vector<std::string> workloads;
  std::vector<std::string> designs;
  std::string shows;
  bool geometric = true;
  Metric metric;
  std::vector<Answer> answers;
};

/// Reads experiments/PAPER/FIGURE.toml; `claims` are those of the paper. Throws UserError with every mistake.
[[nodiscard]] Experiment read_experiment(const std::string& path, const std::map<std::string, Claim>& claims);
[[nodiscard]] Experiment parse_experiment(const std::string& text, const std::string& name,
                                          const std::map<std::string, Claim>& claims);

/// The run of a workload on a design with a seed.
struct Key {
  std::string workload;
  std::string design;
  std::string seed;
  friend bool operator==(const Key& a, const Key& b) = default;
  friend bool operator<(const Key& a, const Key& b) {
    return std::tie(a.workload, a.design, a.seed) < std::tie(b.workload, b.design, b.seed);
  }
};
[[nodiscard]] std::vector<std::pair<Key, Point>> points_of(const Experiment& experiment);

/// A metric of a run: nothing where the run is missing or has no such figure.
using Measure = std::function<std::optional<double>(const Key&, const results::Expression&)>;

struct Judgement {
  Claim claim;
  Verdict verdict = Verdict::not_run;
  std::string found;  ///< our value, or what is missing
};

struct ExperimentResult {
  /// By workload, the mean last; a column per design.
  std::vector<std::string> rows;
  std::vector<std::vector<std::optional<double>>> cells;
  std::vector<Judgement> judgements;
};

[[nodiscard]] ExperimentResult evaluate(const Experiment& experiment, const Measure& measure);

}  // namespace heddle::study
