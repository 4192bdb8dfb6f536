// Figures of single runs made into figures of workloads and of all workloads together, seed by seed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/experiment.h"

namespace heddle::study {

/// A value per seed.
using Series = std::vector<double>;

struct MeanOfWorkloads {
  Series by_seed;
  std::size_t workloads = 0;  ///< of how many
};

class Means {
 public:
  Means(const Experiment& experiment, const Measure& measure) : experiment_(experiment), measure_(measure) {}

  /// The derived metric of a workload on a design; nothing if a run of it is missing.
  [[nodiscard]] std::optional<Series> of_workload(const Metric& metric, const std::string& workload,
                                                  const std::string& design) const;
  /// The mean over the workloads that were run; nothing if there is none.
  [[nodiscard]] std::optional<MeanOfWorkloads> of_all(const Metric& metric, const std::string& design) const;

 private:
  /// What a ratio is made of; the metric itself and its weight where it is relative to nothing.
  struct Parts {
    double above = 0;
    double below = 1;
    [[nodiscard]] double ratio() const { return above / below; }
  };
  [[nodiscard]] std::optional<Parts> parts(const Metric& metric, const Key& run, bool weighted) const;

  const Experiment& experiment_;
  const Measure& measure_;
};

}  // namespace heddle::study
