// An experiment: the runs behind a figure or table of a paper, what is derived from them, and the claims it answers.
//
//   title = "Figure 6: performance of MMU designs relative to an ideal MMU"
//   chapter = 4                          # optional
//   gpu = "power-2014"
//   size = "small"                       # optional
//   seeds = [1, 2, 3]                    # optional
//   workloads = ["bfs", "nw"]
//   programs = ["./saxpy 100000"]        # optional: compiled programs with their arguments, among the workloads
//   reads = ["graph.txt"]                # optional: files that these programs read
//   designs = ["ideal", "power-d1"]      # presets, or variants named below
//   baseline = "ideal"                   # the design others are measured against
//   metric = "cycles"                    # of one run: an expression as in 'heddle results'
//   relative = "baseline / design"       # or "design / baseline", "design - baseline", or "none"
//   shows = "performance relative to ideal"
//   mean = "geometric"                   # or "arithmetic", or "back to back": as if all ran one after the other
//   weight = "cycles"                    # optional, for that mean of a metric that is relative to nothing
//   footprint = "..."                    # optional: a sentence on how sizes were chosen
//   alone = "mask-sharedtlb"             # optional: workloads are mixes; with each application's runs alone on this
//                                        # design, metrics may use mix.weighted_speedup, .throughput, .max_slowdown
//   splits = ["even", "10:20"]           # with alone: divisions of the SMs; the best weighted speedup counts
//   set = ["sharing.window=500000"]      # optional: parameters changed in all designs
//   [sizes]                              # optional: of single workloads; likewise [inputs]
//   bfs = 65536
//   [windows.bfs]                        # optional: what of it is timed, as 'heddle run' takes it
//   start_kernel = 2
//   skip = 1000000
//   warmup = "100000"
//   window = "500000cycles"
//   [[variant]]                          # optional: a design with parameters changed
//   name = "d3 leaf"
//   design = "power-d3"
//   set = ["mmu.walker.cache.leaf=true"]
//   [[answer]]
//   claim = "W12_design1_avg"            # of experiments/claims/PAPER.toml
//   design = "power-d1"
//   over = "mean"                        # or "each", "almost every", "most", "most, not all", or the names of
//                                        # workloads: the claim must hold for every one;
//                                        # "largest" or "smallest": for the workload whose x is that
//   value = "100 * x"                    # from the derived metric x to the unit of the claim
//   against = "power-d2"                 # optional: another baseline
//   metric, relative, mean, weight       # optional: others than the experiment's
//   reading = "leaves cached"            # optional: the claim is open to several; the first of them is judged
//   order = ["d1 | d2", "power-d3"]      # for claims about an order, instead of design and value: x rises from one to
//                                        # the next, where '|' joins those that may lie anyhow
//   rises = ["EXPRESSION", ...]          # for claims that compare figures of one run, instead of metric and value: on
//                                        # the design, each is above the one before
//   highest = ["gaussian", "lud"]        # for claims that compare workloads, instead of over and value: x of each of
//                                        # these on the design is above that of every other; likewise lowest
//   among = ["bfs", "nw"]                # optional, with highest or lowest: those they are compared with
//
// Several answers to a claim in one reading are its parts: the worst counts.
#pragma once

#include <algorithm>
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
#include "study/verdict.h"

namespace heddle::study {

enum class Relative : std::uint8_t { none, baseline_over_design, design_over_baseline, difference };
/// Whether a figure relative to a baseline is a ratio.
[[nodiscard]] constexpr bool is_ratio(Relative relative) {
  return relative == Relative::baseline_over_design || relative == Relative::design_over_baseline;
}
enum class Mean : std::uint8_t {
  arithmetic,
  geometric,     ///< of figures that are relative; arithmetic of others
  back_to_back,  ///< sum over sum of what is relative; others weighted
};
[[nodiscard]] std::string_view to_string(Mean mean);

struct Metric {
  results::Expression of_run{"cycles"};
  Relative relative = Relative::baseline_over_design;
  std::string baseline;
  Mean mean = Mean::geometric;
  results::Expression weight{"cycles"};  ///< of a metric that is relative to nothing, in a mean back to back
};

/// What of the workloads a claim is about.
enum class Over : std::uint8_t {
  mean,
  each,          ///< every one of those named, or of all
  almost_every,  ///< all but one in eight
  most,          ///< more than half
  most_not_all,  ///< more than half, and there is one where it does not hold
  largest,       ///< the one whose value is largest
  smallest,      ///< the one whose value is smallest
  highest,       ///< those named have higher values than the others
  lowest,        ///< those named have lower values than the others
};

struct Answer {
  Claim claim;
  std::string reading;
  std::string design;
  Over over = Over::mean;
  std::vector<std::string> workloads;  ///< those named; empty: all
  std::vector<std::string> others;     ///< whom `highest` and `lowest` compare them with
  Metric metric;
  results::Expression value{"x"};
  std::vector<std::vector<std::string>> order;  ///< groups of designs
  std::vector<results::Expression> rises;       ///< figures of the design
};

/// A design of which parameters are changed.
struct Variant {
  std::string design;
  std::vector<std::string> changes;  ///< "path=value"
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
  std::string footprint;
  std::string alone;                ///< design of the runs alone that mixes are compared with; empty: none
  std::vector<std::string> splits;  ///< with those: divisions of the SMs
  std::vector<std::string> seeds;
  std::vector<std::string> workloads;  ///< and programs, with their arguments
  std::vector<std::string> programs;   ///< those of the workloads that are
  std::vector<std::string> reads;      ///< files that these read
  std::vector<std::string> designs;
  std::vector<std::string> changes;           ///< "path=value", of all designs
  std::map<std::string, Variant> variants;    ///< by the name that `designs` has
  std::map<std::string, std::string> sizes;   ///< of workloads that have one of their own
  std::map<std::string, std::string> inputs;  ///< likewise
  std::map<std::string, Window> windows;      ///< likewise
  std::string shows;
  Metric metric;
  std::vector<Answer> answers;

  /// Every run is made with inputs from these seeds: 1, 2 and so on.
  void take_seeds(unsigned count) {
    seeds.clear();
    for (unsigned seed = 1; seed <= count; ++seed) seeds.push_back(std::to_string(seed));
  }
  /// Every workload has this size, and is timed whole.
  void take_size(const std::string& every) {
    size = every;
    sizes.clear();
    windows.clear();
  }
  [[nodiscard]] bool is_program(const std::string& workload) const {
    return std::find(programs.begin(), programs.end(), workload) != programs.end();
  }
  [[nodiscard]] std::string size_of(const std::string& workload) const {
    const auto own = sizes.find(workload);
    return own == sizes.end() ? size : own->second;
  }
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
  std::string found;    ///< our value, or what is missing
  std::string reading;  ///< empty: there is only one
  std::string figure;   ///< of the experiment
  /// Of so many values that the claim is about, workloads or parts, so many are as it says.
  std::size_t held = 0;
  std::size_t values = 0;
};

struct ExperimentResult {
  /// By workload, the mean last; a column per design.
  std::vector<std::string> rows;
  std::vector<std::vector<std::optional<Figure>>> cells;
  std::vector<Judgement> judgements;
};

[[nodiscard]] ExperimentResult evaluate(const Experiment& experiment, const Measure& measure);

/// One judgement per claim and reading: parts are put together, the worst counts.
[[nodiscard]] std::vector<Judgement> put_together(const std::vector<Judgement>& parts);

}  // namespace heddle::study
