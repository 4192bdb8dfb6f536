// From runs to derived metrics, and from those to verdicts.
#include <fmt/format.h>

#include <algorithm>

#include "study/experiment.h"
#include "study/means.h"

namespace heddle::study {
namespace {

/// "0.31", or "0.31 ± 0.02" over several seeds.
std::string text_of(const Figure& figure) {
  return figure.spread == 0 ? fmt::format("{:.4g}", figure.value)
                            : fmt::format("{:.4g} ± {:.2g}", figure.value, figure.spread);
}

/// A workload's value; nothing is kept of those that did not run.
struct Named {
  std::string workload;
  Figure figure;
};

/// "bfs 0.31, nw 0.4"
std::string text_of(const std::vector<Named>& values) {
  std::string text;
  for (const Named& one : values)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", one.workload, text_of(one.figure));
  return text;
}

std::string of_so_many(std::size_t ran, std::size_t all) {
  return ran < all ? fmt::format(" ({} of {} workloads)", ran, all) : "";
}

bool less(const Named& one, const Named& other) { return one.figure.value < other.figure.value; }

/// How many workloads may differ.
std::size_t exceptions(Over over, std::size_t workloads) {
  if (over == Over::almost_every) return std::max<std::size_t>(1, workloads / kAlmostEvery);
  if (over == Over::most || over == Over::most_not_all) return workloads == 0 ? 0 : (workloads - 1) / 2;
  return 0;
}

class Evaluation {
 public:
  Evaluation(const Experiment& experiment, const Measure& measure)
      : experiment_(experiment), means_(experiment, measure) {}

  [[nodiscard]] std::optional<Figure> cell(const std::string& workload, const std::string& design) const {
    const auto series = means_.of_workload(experiment_.metric, workload, design);
    return series ? std::optional(figure_of(*series)) : std::nullopt;
  }
  [[nodiscard]] std::optional<Figure> mean_cell(const std::string& design) const {
    const auto mean = means_.of_all(experiment_.metric, design);
    return mean ? std::optional(figure_of(mean->by_seed)) : std::nullopt;
  }

  [[nodiscard]] Judgement judge_answer(const Answer& answer) const {
    Judgement result{answer.claim, Verdict::not_run, "runs or figures are missing", answer.reading, experiment_.figure};
    if (!answer.order.empty() || !answer.rises.empty()) {
      judge_order_of(answer, result);
    } else if (answer.over == Over::highest || answer.over == Over::lowest) {
      judge_comparison(answer, result);
    } else if (answer.over == Over::mean) {
      judge_mean(answer, result);
    } else {
      judge_workloads(answer, result);
    }
    return result;
  }

 private:
  [[nodiscard]] static std::optional<Figure> in_units(const Answer& answer, const Series& series) {
    Series values;
    for (const double x : series) {
      const auto value = answer.value.value([&](const std::string&) { return std::optional(x); });
      if (!value) return std::nullopt;
      values.push_back(*value);
    }
    return figure_of(values);
  }
  [[nodiscard]] const std::vector<std::string>& workloads_of(const Answer& answer) const {
    return answer.workloads.empty() ? experiment_.workloads : answer.workloads;
  }
  [[nodiscard]] std::vector<Named> values_of(const Answer& answer, const std::vector<std::string>& workloads) const {
    std::vector<Named> values;
    for (const std::string& workload : workloads) {
      const auto series = means_.of_workload(answer.metric, workload, answer.design);
      const auto figure = series ? in_units(answer, *series) : std::nullopt;
      if (figure) values.push_back({workload, *figure});
    }
    return values;
  }

  /// The mean as the experiment takes it, and beside it another.
  void judge_mean(const Answer& answer, Judgement& result) const {
    const auto mean = means_.of_all(answer.metric, answer.design);
    const auto figure = mean ? in_units(answer, mean->by_seed) : std::nullopt;
    if (!figure) return;
    result.verdict = judge(answer.claim, *figure);
    count({result.verdict}, result);
    Metric other = answer.metric;
    other.mean = answer.metric.mean == Mean::back_to_back ? Mean::arithmetic : Mean::back_to_back;
    const auto beside = means_.of_all(other, answer.design);
    const auto beside_figure = beside ? in_units(answer, beside->by_seed) : std::nullopt;
    result.found = text_of(*figure);
    if (beside_figure) result.found += fmt::format(" ({} {})", to_string(other.mean), text_of(*beside_figure));
    result.found += of_so_many(mean->workloads, experiment_.workloads.size());
  }

  void judge_workloads(const Answer& answer, Judgement& result) const {
    const std::vector<std::string>& workloads = workloads_of(answer);
    std::vector<Named> values = values_of(answer, workloads);
    if (values.empty()) return;
    const std::size_t ran = values.size();
    if (answer.over == Over::largest) values = {*std::max_element(values.begin(), values.end(), less)};
    if (answer.over == Over::smallest) values = {*std::min_element(values.begin(), values.end(), less)};
    std::vector<Verdict> verdicts;
    verdicts.reserve(values.size());
    for (const Named& one : values) verdicts.push_back(judge(answer.claim, one.figure));
    result.verdict = over_workloads(answer.over, verdicts);
    count(verdicts, result);
    result.found = text_of(values) + of_so_many(ran, workloads.size());
  }

  /// How many of the values are as the claim says.
  static void count(const std::vector<Verdict>& verdicts, Judgement& result) {
    result.values = verdicts.size();
    result.held = static_cast<std::size_t>(std::count(verdicts.begin(), verdicts.end(), Verdict::reproduced));
  }

  [[nodiscard]] static Verdict over_workloads(Over over, const std::vector<Verdict>& verdicts) {
    const Verdict verdict = judge_all(verdicts, exceptions(over, verdicts.size()));
    const bool all =
        std::all_of(verdicts.begin(), verdicts.end(), [](Verdict one) { return one == Verdict::reproduced; });
    // "Not in every workload" was said, and it is in every one.
    if (over == Over::most_not_all && all) return Verdict::same_direction;
    return verdict;
  }

  /// Each of those named lies beyond all others; if only their means do, the direction is the same.
  void judge_comparison(const Answer& answer, Judgement& result) const {
    const std::vector<Named> named = values_of(answer, answer.workloads);
    const std::vector<Named> others = values_of(answer, answer.others);
    if (named.empty() || others.empty()) return;
    const bool highest = answer.over == Over::highest;
    const std::vector<Named>& up = highest ? named : others;
    const std::vector<Named>& down = highest ? others : named;
    const Figure lowest_up = std::min_element(up.begin(), up.end(), less)->figure;
    const Figure highest_down = std::max_element(down.begin(), down.end(), less)->figure;
    const auto average = [](const std::vector<Named>& values) {
      Figure sum;
      for (const Named& one : values) {
        sum.value += one.figure.value / static_cast<double>(values.size());
        sum.spread += one.figure.spread / static_cast<double>(values.size());
      }
      return sum;
    };
    result.verdict = above(lowest_up, highest_down)      ? Verdict::reproduced
                     : above(average(up), average(down)) ? Verdict::same_direction
                                                         : Verdict::not_reproduced;
    std::vector<Verdict> verdicts;
    for (const Named& one : named) {
      const bool beyond = highest ? above(one.figure, highest_down) : above(lowest_up, one.figure);
      verdicts.push_back(beyond ? Verdict::reproduced : Verdict::not_reproduced);
    }
    count(verdicts, result);
    result.found = fmt::format("{}; the others {}", text_of(named), text_of(others)) +
                   of_so_many(named.size() + others.size(), answer.workloads.size() + answer.others.size());
  }

  /// x rises along the list. If it does not in some workload but their mean does, it is the same direction.
  void judge_order_of(const Answer& answer, Judgement& result) const {
    const bool of_mean = answer.over == Over::mean;
    const std::vector<std::string> rows = of_mean ? std::vector<std::string>{"mean"} : workloads_of(answer);
    std::vector<Verdict> verdicts;
    std::string found;
    for (const std::string& row : rows) {
      const auto groups = figures_of(answer, of_mean ? "" : row);
      if (groups.empty()) continue;
      verdicts.push_back(judge_order(groups));
      std::string values;
      for (const auto& group : groups) {
        for (const Figure& figure : group) values += fmt::format("{}{}", values.empty() ? "" : ", ", text_of(figure));
      }
      found += fmt::format("{}{} {}", found.empty() ? "" : "; ", row, values);
    }
    if (verdicts.empty()) return;
    result.verdict = over_workloads(answer.over, verdicts);
    count(verdicts, result);
    if (result.verdict == Verdict::not_reproduced && !of_mean) {
      const auto means = figures_of(answer, "");
      if (!means.empty() && judge_order(means) != Verdict::not_reproduced) result.verdict = Verdict::same_direction;
    }
    const std::string first = answer.order.empty() ? answer.design : answer.order[0][0];
    const std::size_t ran = of_mean ? means_.of_all(metrics_of(answer)[0], first)->workloads : verdicts.size();
    result.found = found + of_so_many(ran, of_mean ? experiment_.workloads.size() : rows.size());
  }

  /// Of a workload, or of the mean of the answer's workloads if none is named; empty if something is missing.
  [[nodiscard]] std::vector<std::vector<Figure>> figures_of(const Answer& answer, const std::string& workload) const {
    std::vector<std::vector<Figure>> groups;
    const std::vector<std::vector<std::string>> designs =
        answer.order.empty() ? std::vector<std::vector<std::string>>{{answer.design}} : answer.order;
    for (const Metric& metric : metrics_of(answer)) {
      for (const auto& names : designs) {
        auto& group = groups.emplace_back();
        for (const std::string& design : names) {
          const auto figure = figure_of_design(metric, workload, design);
          if (!figure) return {};
          group.push_back(*figure);
        }
      }
    }
    return groups;
  }
  [[nodiscard]] std::optional<Figure> figure_of_design(const Metric& metric, const std::string& workload,
                                                       const std::string& design) const {
    if (!workload.empty()) {
      const auto series = means_.of_workload(metric, workload, design);
      return series ? std::optional(figure_of(*series)) : std::nullopt;
    }
    const auto mean = means_.of_all(metric, design);
    return mean ? std::optional(figure_of(mean->by_seed)) : std::nullopt;
  }
  /// What rises along designs, or the figures that rise one above the other.
  [[nodiscard]] static std::vector<Metric> metrics_of(const Answer& answer) {
    if (answer.rises.empty()) return {answer.metric};
    std::vector<Metric> metrics(answer.rises.size(), answer.metric);
    for (std::size_t i = 0; i < metrics.size(); ++i) metrics[i].of_run = answer.rises[i];
    return metrics;
  }

  const Experiment& experiment_;
  Means means_;
};

std::string mean_name(const Metric& metric) {
  if (metric.mean == Mean::back_to_back) return "back to back";
  return metric.mean == Mean::geometric && is_ratio(metric.relative) ? "geomean" : "mean";
}

}  // namespace

ExperimentResult evaluate(const Experiment& experiment, const Measure& measure) {
  const Evaluation evaluation(experiment, measure);
  ExperimentResult result;
  for (const std::string& workload : experiment.workloads) {
    result.rows.push_back(workload);
    auto& row = result.cells.emplace_back();
    for (const std::string& design : experiment.designs) row.push_back(evaluation.cell(workload, design));
  }
  result.rows.push_back(mean_name(experiment.metric));
  auto& means = result.cells.emplace_back();
  for (const std::string& design : experiment.designs) means.push_back(evaluation.mean_cell(design));
  for (const Answer& answer : experiment.answers) result.judgements.push_back(evaluation.judge_answer(answer));
  return result;
}

std::vector<Judgement> put_together(const std::vector<Judgement>& parts) {
  std::vector<Judgement> all;
  for (const Judgement& part : parts) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const Judgement& known) {
      return known.claim.id == part.claim.id && known.reading == part.reading;
    });
    if (same == all.end()) {
      all.push_back(part);
      continue;
    }
    same->verdict = std::max(same->verdict, part.verdict);
    same->found += "; " + part.found;
    same->held += part.held;
    same->values += part.values;
    if (same->figure != part.figure) same->figure += ", " + part.figure;
  }
  return all;
}

}  // namespace heddle::study
