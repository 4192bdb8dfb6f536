// From runs to derived metrics, and from those to verdicts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/experiment.h"

namespace heddle::study {
namespace {

using Values = std::vector<double>;

/// One value is not below the other; within one percent counts as equal.
bool reaches(double value, double other) {
  constexpr double kEqual = 0.01;
  return value >= other - kEqual * std::abs(other);
}

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
    if (!answer.order.empty()) return judge_order(answer);
    if (answer.over == Over::highest || answer.over == Over::lowest) return judge_comparison(answer);
    return judge_value(answer);
  }

 private:
  /// A workload's value of x; nothing is kept of those that did not run.
  using Named = std::pair<std::string, double>;
  [[nodiscard]] std::vector<Named> values_of(const Answer& answer, const std::vector<std::string>& workloads) const {
    std::vector<Named> values;
    for (const std::string& workload : workloads) {
      const auto x = derived(answer.metric, workload, answer.design);
      const auto value = x ? answer.value.value([&](const std::string&) { return x; }) : std::nullopt;
      if (value) values.emplace_back(workload, *value);
    }
    return values;
  }

  [[nodiscard]] Judgement judge_value(const Answer& answer) const {
    Judgement result{answer.claim, Verdict::not_run, ""};
    const auto& workloads = answer.workloads.empty() ? experiment_.workloads : answer.workloads;
    std::vector<Named> values;
    if (answer.over == Over::mean) {
      const auto x = mean(answer.metric, answer.design);
      const auto value = x ? answer.value.value([&](const std::string&) { return x; }) : std::nullopt;
      if (value) values.emplace_back("", *value);
    } else {
      values = values_of(answer, workloads);
    }
    if (values.empty()) return missing(result);
    const std::size_t ran = values.size();
    const auto less = [](const Named& one, const Named& other) { return one.second < other.second; };
    if (answer.over == Over::largest) values = {*std::max_element(values.begin(), values.end(), less)};
    if (answer.over == Over::smallest) values = {*std::min_element(values.begin(), values.end(), less)};
    result.verdict = Verdict::reproduced;
    for (const auto& [workload, value] : values) result.verdict = std::max(result.verdict, judge(answer.claim, value));
    result.found = text_of(values);
    if (answer.over != Over::mean && ran < workloads.size())
      result.found += fmt::format(" ({} of {} workloads)", ran, workloads.size());
    return result;
  }

  /// Each of those named lies beyond all others; if only their means do, the direction is the same.
  [[nodiscard]] Judgement judge_comparison(const Answer& answer) const {
    Judgement result{answer.claim, Verdict::not_run, ""};
    const std::vector<Named> named = values_of(answer, answer.workloads);
    const std::vector<Named> others = values_of(answer, answer.others);
    if (named.empty() || others.empty()) return missing(result);
    const bool highest = answer.over == Over::highest;
    const std::vector<Named>& above = highest ? named : others;
    const std::vector<Named>& below = highest ? others : named;
    const auto less = [](const Named& one, const Named& other) { return one.second < other.second; };
    const double lowest_above = std::min_element(above.begin(), above.end(), less)->second;
    const double highest_below = std::max_element(below.begin(), below.end(), less)->second;
    const auto average = [](const std::vector<Named>& values) {
      double sum = 0;
      for (const auto& [workload, value] : values) sum += value;
      return sum / static_cast<double>(values.size());
    };
    result.verdict = reaches(lowest_above, highest_below) ? Verdict::reproduced
                     : average(above) > average(below)    ? Verdict::same_direction
                                                          : Verdict::not_reproduced;
    result.found = fmt::format("{}; the others {}", text_of(named), text_of(others));
    const std::size_t all = answer.workloads.size() + answer.others.size();
    if (named.size() + others.size() < all)
      result.found += fmt::format(" ({} of {} workloads)", named.size() + others.size(), all);
    return result;
  }

  /// x rises along the list; within one percent counts as equal, which an order allows. If it does not in some workload
  /// but their mean does, it is the same direction.
  [[nodiscard]] Judgement judge_order(const Answer& answer) const {
    Judgement result{answer.claim, Verdict::not_run, ""};
    const auto& each = answer.workloads.empty() ? experiment_.workloads : answer.workloads;
    const bool of_mean = answer.over == Over::mean;
    const std::vector<std::string> rows = of_mean ? std::vector<std::string>{"mean"} : each;
    std::size_t ran = 0;
    std::vector<Values> columns(answer.order.size());
    for (const std::string& row : rows) {
      Values values;
      for (const std::string& design : answer.order) {
        const auto x = of_mean ? mean(answer.metric, design) : derived(answer.metric, row, design);
        if (x) values.push_back(*x);
      }
      if (values.size() < answer.order.size()) continue;
      for (std::size_t i = 0; i < values.size(); ++i) columns[i].push_back(values[i]);
      const Verdict verdict = verdict_of_order(values);
      result.verdict = ran == 0 ? verdict : std::max(result.verdict, verdict);
      result.found += fmt::format("{}{} {:.4g}", ran == 0 ? "" : "; ", row, fmt::join(values, ", "));
      ++ran;
    }
    if (result.verdict == Verdict::not_reproduced) {
      const auto first = mean_of(columns.front(), experiment_.geometric);
      const auto last = mean_of(columns.back(), experiment_.geometric);
      if (first && last && *last > *first) result.verdict = Verdict::same_direction;
    }
    return ran == 0 ? missing(result) : result;
  }

  [[nodiscard]] static Verdict verdict_of_order(const Values& values) {
    if (values.back() <= values.front()) return Verdict::not_reproduced;
    for (std::size_t i = 1; i < values.size(); ++i) {
      if (!reaches(values[i], values[i - 1])) return Verdict::same_direction;
    }
    return Verdict::reproduced;
  }

  /// "bfs 0.31, nw 0.4"; the name is left out where there is none.
  [[nodiscard]] static std::string text_of(const std::vector<Named>& values) {
    std::string text;
    for (const auto& [workload, value] : values)
      text += fmt::format("{}{}{}{:.4g}", text.empty() ? "" : ", ", workload, workload.empty() ? "" : " ", value);
    return text;
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
