#include "study/means.h"

#include <cmath>

namespace heddle::study {

std::string_view to_string(Mean mean) {
  switch (mean) {
    case Mean::arithmetic:
      return "arithmetic";
    case Mean::geometric:
      return "geometric";
    case Mean::back_to_back:
      return "back to back";
  }
  return "";
}

std::optional<Means::Parts> Means::parts(const Metric& metric, const Key& run, bool weighted) const {
  const auto of_design = measure_(run, metric.of_run);
  if (!of_design) return std::nullopt;
  Parts result{*of_design, 1};
  std::optional<double> of_baseline;
  if (metric.relative != Relative::none) {
    of_baseline = measure_({run.workload, metric.baseline, run.seed}, metric.of_run);
    if (!of_baseline) return std::nullopt;
  }
  if (!is_ratio(metric.relative)) {
    if (of_baseline) result.above -= *of_baseline;
    if (!weighted) return result;
    const auto weight = measure_(run, metric.weight);
    if (!weight) return std::nullopt;
    return Parts{result.above * *weight, *weight};
  }
  const bool inverse = metric.relative == Relative::design_over_baseline;
  result = {inverse ? *of_design : *of_baseline, inverse ? *of_baseline : *of_design};
  return result.below == 0 ? std::nullopt : std::optional(result);
}

std::optional<Series> Means::of_workload(const Metric& metric, const std::string& workload,
                                         const std::string& design) const {
  Series values;
  for (const std::string& seed : experiment_.seeds) {
    const auto found = parts(metric, {workload, design, seed}, false);
    if (!found) return std::nullopt;
    values.push_back(found->ratio());
  }
  return values;
}

std::optional<MeanOfWorkloads> Means::of_all(const Metric& metric, const std::string& design) const {
  MeanOfWorkloads result;
  std::vector<std::string> ran;
  for (const std::string& workload : experiment_.workloads) {
    if (of_workload(metric, workload, design)) ran.push_back(workload);
  }
  result.workloads = ran.size();
  if (ran.empty()) return std::nullopt;
  const bool weighted = metric.mean == Mean::back_to_back;
  const bool geometric = metric.mean == Mean::geometric && is_ratio(metric.relative);
  const auto count = static_cast<double>(ran.size());
  for (const std::string& seed : experiment_.seeds) {
    Parts sum{0, 0};
    for (const std::string& workload : ran) {
      const auto found = parts(metric, {workload, design, seed}, weighted);
      if (!found || (geometric && found->ratio() <= 0)) return std::nullopt;
      sum.above += weighted ? found->above : geometric ? std::log(found->ratio()) : found->ratio();
      sum.below += weighted ? found->below : 0;
    }
    if (weighted && sum.below == 0) return std::nullopt;
    result.by_seed.push_back(weighted ? sum.ratio() : geometric ? std::exp(sum.above / count) : sum.above / count);
  }
  return result;
}

}  // namespace heddle::study
