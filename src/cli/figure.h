// From runs to the bars of a figure: a group per workload, a bar per variant, error bars over seeds, means apart.
#pragma once

#include <string>
#include <vector>

#include "plot/bar_chart.h"
#include "results/query.h"
#include "study/experiment.h"

namespace heddle::cli {

enum class Show : std::uint8_t {
  relative,  ///< over the baseline
  speedup,   ///< the baseline over each
  absolute,
};
enum class Errors : std::uint8_t { deviation, range, none };

struct FigureOptions {
  std::string metric = "cycles";
  Show show = Show::relative;
  std::string baseline;         ///< a variant; empty: the first
  std::vector<std::string> by;  ///< what the variants are; empty: whatever varies
  std::string across = "workload";
  Errors errors = Errors::deviation;
};

struct Figure {
  plot::BarChart chart;
  std::vector<std::string> short_names;  ///< of the variants
  std::vector<std::string> keys;         ///< on which variants differ
  std::string metric;                    ///< what is shown: "seconds" where clocks differ and cycles were asked for
  std::string baseline;                  ///< empty: absolute figures
  std::size_t hidden = 0;                ///< runs behind a newer one of the same group, variant and seed

  /// Lets the legend say the names of parameters once, where values alone tell variants apart.
  void shorten();
};

/// The newest of several runs of the same variant, group and seed counts. Throws UserError.
[[nodiscard]] Figure figure_of_runs(const std::vector<results::RunRow>& runs, const FigureOptions& options);
[[nodiscard]] plot::BarChart chart_of_experiment(const study::Experiment& experiment,
                                                 const study::ExperimentResult& result);

/// The named variants and groups first, in that order. Throws UserError for a name that there is not.
void put_in_order(plot::BarChart& chart, const std::vector<std::string>& names);
/// Without the named variants and groups; means stay as they are.
void leave_out(plot::BarChart& chart, const std::vector<std::string>& names);
/// "OLD=NEW" for variants and groups.
void rename(plot::BarChart& chart, const std::vector<std::string>& names);

}  // namespace heddle::cli
