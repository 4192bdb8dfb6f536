// From runs to derived metrics, and from those to verdicts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/experiment.h"

namespace heddle::study {
namespace {

using Values = std::vector<double>;

std::optional<double> mean_of(const Values& values, bool geometric) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (const double value : values) {
    if (geometric && value <= 0) return std::nullopt;
    sum += geometric ? std::log(value) : value;
  }
  sum /= static_cast<double>(values.size());
  return geometric ? std::exp(sum) : sum;
}

class Evaluation {
 public:
  Evaluation(const Experiment& experiment, const Measure& measure) : experiment_(experiment), measure_(measure) {}

  /// The derived metric of a workload on a design, over the seeds.
  [[nodiscard]] std::optional<double> derived(const Metric& metric, const std::string& workload,
                                              const std::string& design) const {
    Values values;
    for (const std::string& seed : experiment_.seeds) {
      const auto of_design = measure_({workload, design, seed}, metric.of_run);
      if (!of_design) return std::nullopt;
      if (metric.relative == Relative::none) {
        values.push_back(*of_design);
        continue;
      }
      const auto of_baseline = measure_({workload, metric.baseline, seed}, metric.of_run);
      if (!of_baseline) return std::nullopt;
      const bool inverse = metric.relative == Relative::design_over_baseline;
      const double below = inverse ? *of_baseline : *of_design;
      if (below == 0) return std::nullopt;
      values.push_back((inverse ? *of_design : *of_baseline) / below);
    }
    return mean_of(values, experiment_.geometric && metric.relative != Relative::none);
  }

  /// The mean over the workloads that were run; nothing if there is none.
  [[nodiscard]] std::optional<double> mean(const Metric& metric, const std::string& design) const {
    Values values;
    for (const std::string& workload : experiment_.workloads) {
      if (const auto value = derived(metric, workload, design)) values.push_back(*value);
    }
    return mean_of(values, experiment_.geometric && metric.relative != Relative::none);
  }

  [[nodiscard]] Judgement judge_answer(const Answer& answer) const {
    return answer.order.empty() ? judge_value(answer) : judge_order(answer);
  }

 private:
  [[nodiscard]] Judgement judge_value(const Answer& answer) const {
    Judgement result{answer.claim, Verdict::not_run, ""};
    const auto converted = [&](std::optional<double> x) -> std::optional<double> {
      if (!x) return std::nullopt;
      return answer.value.value([&](const std::string&) { return x; });
    };
    if (answer.mean) {
      const auto value = converted(mean(answer.metric, answer.design));
      if (!value) return missing(result);
      result.verdict = judge(answer.claim, *value);
      result.found = fmt::format("{:.4g}", *value);
      return result;
    }
    bool first = true;
    std::size_t ran = 0;
    const auto& workloads = answer.workloads.empty() ? experiment_.workloads : answer.workloads;
    for (const std::string& workload : workloads) {
      const auto value = converted(derived(answer.metric, workload, answer.design));
      if (!value) continue;
      ++ran;
      const Verdict verdict = judge(answer.claim, *value);
      result.verdict = first ? verdict : std::max(result.verdict, verdict);
      result.found += fmt::format("{}{} {:.4g}", first ? "" : ", ", workload, *value);
      first = false;
    }
    if (ran == 0) return missing(result);
    if (ran < workloads.size()) result.found += fmt::format(" ({} of {} workloads)", ran, workloads.size());
    return result;
  }

  /// x rises along the list; within one percent counts as equal, which an order allows.
  [[nodiscard]] Judgement judge_order(const Answer& answer) const {
    Judgement result{answer.claim, Verdict::not_run, ""};
    const auto& each = answer.workloads.empty() ? experiment_.workloads : answer.workloads;
    const std::vector<std::string> rows = answer.mean ? std::vector<std::string>{"mean"} : each;
    std::size_t ran = 0;
    for (const std::string& row : rows) {
      Values values;
      for (const std::string& design : answer.order) {
        const auto x = answer.mean ? mean(answer.metric, design) : derived(answer.metric, row, design);
        if (x) values.push_back(*x);
      }
      if (values.size() < answer.order.size()) continue;
      constexpr double kEqual = 0.99;
      bool rises = values.back() > values.front();
      for (std::size_t i = 1; i < values.size(); ++i) rises = rises && values[i] >= values[i - 1] * kEqual;
      const Verdict verdict = rises                            ? Verdict::reproduced
                              : values.back() > values.front() ? Verdict::same_direction
                                                               : Verdict::not_reproduced;
      result.verdict = ran == 0 ? verdict : std::max(result.verdict, verdict);
      result.found += fmt::format("{}{} {:.4g}", ran == 0 ? "" : ", ", row, fmt::join(values, " < "));
      ++ran;
    }
    return ran == 0 ? missing(result) : result;
  }

  [[nodiscard]] static Judgement missing(Judgement result) {
    result.verdict = Verdict::not_run;
    result.found = "runs or figures are missing";
    return result;
  }

  const Experiment& experiment_;
  const Measure& measure_;
};

}  // namespace

ExperimentResult evaluate(const Experiment& experiment, const Measure& measure) {
  const Evaluation evaluation(experiment, measure);
  ExperimentResult result;
  for (const std::string& workload : experiment.workloads) {
    result.rows.push_back(workload);
    auto& row = result.cells.emplace_back();
    for (const std::string& design : experiment.designs)
      row.push_back(evaluation.derived(experiment.metric, workload, design));
  }
  result.rows.emplace_back(experiment.geometric && experiment.metric.relative != Relative::none ? "geomean" : "mean");
  auto& means = result.cells.emplace_back();
  for (const std::string& design : experiment.designs) means.push_back(evaluation.mean(experiment.metric, design));
  for (const Answer& answer : experiment.answers) result.judgements.push_back(evaluation.judge_answer(answer));
  return result;
}

}  // namespace heddle::study
