// Counters over time: how much each grew from sample to sample, added up over instances.
//
// Bounded: when there are more samples than allowed, neighbours are joined and the interval doubles.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/statistic.h"
#include "sim/time.h"

namespace heddle::sim {

class Sampler {
 public:
  /// Follows the counters whose path without instance numbers ("gpu.sm.instructions") is wanted.
  Sampler(const StatisticGroup& root, const std::function<bool(const std::string&)>& wanted, std::size_t most_samples);

  /// Takes a sample if the interval since the last has passed. To be called between quanta.
  void offer(Cycle now);
  /// Takes what grew since the last sample.
  void finish(Cycle now);

  struct Series {
    std::string path;
    std::vector<const Counter*> counters;
    std::uint64_t last = 0;
    std::vector<std::uint64_t> growth;
  };
  [[nodiscard]] const std::vector<Series>& series() const { return series_; }
  /// The cycles at which the intervals end.
  [[nodiscard]] const std::vector<std::uint64_t>& ends() const { return ends_; }

 private:
  void take(Cycle now);
  void halve();

  std::vector<Series> series_;
  std::vector<std::uint64_t> ends_;
  std::size_t most_;
  Cycle interval_ = 1;
  Cycle last_ = 0;
};

}  // namespace heddle::sim
