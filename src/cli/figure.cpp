#include "cli/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/suggestion.h"
#include "cli/variants.h"

namespace heddle::cli {
namespace {

using BySeed = std::map<std::string, double>;

std::size_t index_of(std::vector<std::string>& names, const std::string& name) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

/// Geometric of ratios, arithmetic of others.
std::optional<double> mean_of(const std::vector<double>& values, bool ratios) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (const double value : values) sum += ratios ? std::log(value) : value;
  sum /= static_cast<double>(values.size());
  return ratios ? std::exp(sum) : sum;
}

std::optional<plot::Bar> bar_of(const std::vector<double>& by_seed, bool ratios, Errors errors) {
  const auto mean = mean_of(by_seed, ratios);
  if (!mean) return std::nullopt;
  plot::Bar bar{*mean, *mean, *mean, static_cast<unsigned>(by_seed.size())};
  if (errors == Errors::none || by_seed.size() < 2) return bar;
  if (errors == Errors::range) {
    bar.low = *std::min_element(by_seed.begin(), by_seed.end());
    bar.high = *std::max_element(by_seed.begin(), by_seed.end());
    return bar;
  }
  const double spread = study::figure_of(by_seed).spread;
  bar.low -= spread;
  bar.high += spread;
  return bar;
}

std::vector<double> values_of(const BySeed& seeds) {
  std::vector<double> values;
  for (const auto& [seed, value] : seeds) values.push_back(value);
  return values;
}

/// What is shown of each seed; seeds that the baseline lacks are left out.
BySeed shown_values(const BySeed& mine, const BySeed& base, Show show) {
  if (show == Show::absolute) return mine;
  BySeed shown;
  for (const auto& [seed, value] : mine) {
    const auto other = base.find(seed);
    if (other == base.end() || value <= 0 || other->second <= 0) continue;
    shown[seed] = show == Show::speedup ? other->second / value : value / other->second;
  }
  return shown;
}

/// The mean over groups of each seed that all groups of the variant have; their spread is that of the mean.
plot::Bar mean_bar(const std::vector<BySeed>& groups, double value, bool ratios, Errors errors) {
  std::vector<double> by_seed;
  const auto first = std::find_if(groups.begin(), groups.end(), [](const BySeed& seeds) { return !seeds.empty(); });
  for (const auto& [seed, ignored] : *first) {
    std::vector<double> values;
    bool complete = true;
    for (const BySeed& seeds : groups) {
      if (seeds.empty()) continue;
      const auto mine = seeds.find(seed);
      complete = complete && mine != seeds.end();
      if (mine != seeds.end()) values.push_back(mine->second);
    }
    if (complete) by_seed.push_back(*mean_of(values, ratios));
  }
  plot::Bar bar = bar_of(by_seed, ratios, errors).value_or(plot::Bar{});
  const double moved = value - bar.value;
  return {value, bar.low + moved, bar.high + moved, bar.runs};
}

std::string y_title_of(const Figure& figure, Show show) {
  if (show == Show::absolute) return figure.metric;
  if (show == Show::speedup) return fmt::format("speedup over {}", figure.baseline);
  return fmt::format("{} relative to {}", figure.metric, figure.baseline);
}

std::string clock_metric(const std::vector<results::RunRow>& runs, const std::string& metric) {
  // Cycles of different clocks are no measure of speed.
  const bool one_clock = std::all_of(runs.begin(), runs.end(), [&](const results::RunRow& run) {
    return run.get("core_mhz") == runs[0].get("core_mhz");
  });
  return metric == "cycles" && !one_clock ? "seconds" : metric;
}

std::size_t baseline_of(const Figure& figure, const std::string& wanted) {
  const std::vector<std::string>& names = figure.chart.variants;
  if (wanted.empty()) return 0;
  for (std::size_t v = 0; v < names.size(); ++v) {
    if (wanted == names[v] || wanted == figure.short_names[v]) return v;
  }
  throw UserError(fmt::format("--baseline {}: there is no such variant ({})", wanted, known_names(wanted, names)));
}

}  // namespace

void Figure::shorten() {
  std::vector<std::string> names = short_names;
  std::sort(names.begin(), names.end());
  if (std::adjacent_find(names.begin(), names.end()) != names.end()) return;
  chart.variants = short_names;
  chart.legend_title = legend_of(keys);
}

Figure figure_of_runs(const std::vector<results::RunRow>& runs, const FigureOptions& options) {
  Figure figure;
  figure.metric = clock_metric(runs, options.metric);
  const results::Expression metric(figure.metric);
  std::vector<std::string> names = metric.names();
  names.insert(names.end(), options.by.begin(), options.by.end());
  names.push_back(options.across);
  results::check_names(names, runs);
  figure.keys = options.by.empty() ? varying_keys(runs) : options.by;
  std::erase(figure.keys, options.across);
  plot::BarChart& chart = figure.chart;
  std::map<std::pair<std::size_t, std::size_t>, BySeed> cells;  // by variant and group
  for (const results::RunRow& run : runs) {
    const std::size_t v = index_of(chart.variants, variant_name(run, figure.keys));
    if (v == figure.short_names.size()) figure.short_names.push_back(short_variant_name(run, figure.keys));
    const std::size_t g = index_of(chart.groups, results::to_text(run.get(options.across)));
    const auto value = run.number(metric);
    if (value && !cells[{v, g}].insert_or_assign(results::to_text(run.get("seed")), *value).second) ++figure.hidden;
  }
  if (cells.empty()) throw UserError(fmt::format("none of these runs has a value of {}", figure.metric));
  const bool ratios = options.show != Show::absolute;
  const std::size_t base = baseline_of(figure, options.baseline);
  if (ratios) figure.baseline = chart.variants[base];
  const std::size_t groups = chart.groups.size();
  for (std::size_t v = 0; v < chart.variants.size(); ++v) {
    std::vector<BySeed> shown;
    std::vector<double> values;
    auto& bars = chart.bars.emplace_back();
    for (std::size_t g = 0; g < groups; ++g) {
      shown.push_back(shown_values(cells[{v, g}], cells[{base, g}], options.show));
      bars.push_back(bar_of(values_of(shown.back()), ratios, options.errors));
      if (bars.back()) values.push_back(bars.back()->value);
    }
    if (groups < 2) continue;
    const auto mean = mean_of(values, ratios);
    bars.push_back(mean ? std::optional(mean_bar(shown, *mean, ratios, options.errors)) : std::nullopt);
    // A mean over another set of workloads than its neighbour's says so.
    if (values.size() < groups) {
      const std::string remark = fmt::format(" ({} of {} {}s)", values.size(), groups, options.across);
      chart.variants[v] += remark;
      figure.short_names[v] += remark;
    }
  }
  if (groups >= 2) {
    chart.groups.emplace_back(ratios ? "geomean" : "mean");
    chart.apart = 1;
  }
  if (ratios) chart.reference = 1;
  chart.y_title = y_title_of(figure, options.show);
  return figure;
}

plot::BarChart chart_of_experiment(const study::Experiment& experiment, const study::ExperimentResult& result) {
  plot::BarChart chart;
  chart.title = experiment.title;
  chart.y_title = experiment.shows;
  chart.groups = result.rows;
  chart.apart = result.rows.size() > experiment.workloads.size() ? 1 : 0;
  chart.variants = experiment.designs;
  if (study::is_ratio(experiment.metric.relative)) chart.reference = 1;
  for (std::size_t d = 0; d < experiment.designs.size(); ++d) {
    auto& bars = chart.bars.emplace_back();
    for (const auto& row : result.cells) {
      if (!row[d]) {
        bars.emplace_back();
        continue;
      }
      const study::Figure& found = *row[d];
      bars.push_back(plot::Bar{found.value, found.value - found.spread, found.value + found.spread,
                               static_cast<unsigned>(experiment.seeds.size())});
    }
  }
  return chart;
}

namespace {

std::vector<std::string> all_names(const plot::BarChart& chart) {
  std::vector<std::string> names = chart.variants;
  names.insert(names.end(), chart.groups.begin(), chart.groups.end());
  return names;
}

/// A name may have a remark behind it, in brackets.
bool is_named(const std::string& shown, const std::string& name) {
  return shown == name || (shown.starts_with(name + " (") && shown.ends_with(')'));
}

void check_chart_name(const plot::BarChart& chart, const std::string& option, const std::string& name) {
  const std::vector<std::string> names = all_names(chart);
  if (std::none_of(names.begin(), names.end(), [&](const std::string& shown) { return is_named(shown, name); }))
    throw UserError(
        fmt::format("{} {}: the figure has no such variant or group ({})", option, name, known_names(name, names)));
}

template <typename T>
std::vector<T> picked(const std::vector<T>& all, const std::vector<std::size_t>& places) {
  std::vector<T> made;
  made.reserve(places.size());
  for (const std::size_t place : places) made.push_back(all[place]);
  return made;
}

/// The chart with these variants and groups.
void pick(plot::BarChart& chart, const std::vector<std::size_t>& variants, const std::vector<std::size_t>& groups) {
  chart.variants = picked(chart.variants, variants);
  chart.bars = picked(chart.bars, variants);
  chart.groups = picked(chart.groups, groups);
  for (auto& bars : chart.bars) bars = picked(bars, groups);
}

/// Places in `all`: those named first, in that order.
std::vector<std::size_t> ordered(const std::vector<std::string>& all, const std::vector<std::string>& names) {
  std::vector<std::size_t> places;
  const auto add = [&](std::size_t place) {
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
  };
  for (const std::string& name : names) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (is_named(all[i], name)) add(i);
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) add(i);
  return places;
}

bool is_any_of(const std::string& shown, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return is_named(shown, name); });
}

std::vector<std::size_t> without(const std::vector<std::string>& all, const std::vector<std::string>& names) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_any_of(all[i], names)) places.push_back(i);
  }
  return places;
}

void rename_all(std::vector<std::string>& all, const std::string& old, const std::string& other) {
  for (std::string& name : all) {
    if (is_named(name, old)) name.replace(0, old.size(), other);
  }
}

}  // namespace

void put_in_order(plot::BarChart& chart, const std::vector<std::string>& names) {
  for (const std::string& name : names) check_chart_name(chart, "--order", name);
  std::vector<std::size_t> groups = ordered(chart.groups, names);
  // Means stay at the end.
  const std::size_t means = chart.groups.size() - chart.apart;
  std::stable_partition(groups.begin(), groups.end(), [&](std::size_t place) { return place < means; });
  pick(chart, ordered(chart.variants, names), groups);
}

void leave_out(plot::BarChart& chart, const std::vector<std::string>& names) {
  for (const std::string& name : names) check_chart_name(chart, "--leave-out", name);
  const auto means = chart.groups.end() - static_cast<std::ptrdiff_t>(chart.apart);
  chart.apart -= static_cast<std::size_t>(
      std::count_if(means, chart.groups.end(), [&](const std::string& name) { return is_any_of(name, names); }));
  pick(chart, without(chart.variants, names), without(chart.groups, names));
  if (chart.variants.empty() || chart.groups.empty()) throw UserError("--leave-out leaves nothing to draw");
}

void rename(plot::BarChart& chart, const std::vector<std::string>& names) {
  for (const std::string& pair : names) {
    // A parameter's variant has an equals sign of its own: the last one counts.
    const std::size_t at = pair.rfind('=');
    if (at == std::string::npos || at == 0) throw UserError(fmt::format("--names {}: it must be OLD=NEW", pair));
    const std::string old = pair.substr(0, at);
    check_chart_name(chart, "--names", old);
    rename_all(chart.variants, old, pair.substr(at + 1));
    rename_all(chart.groups, old, pair.substr(at + 1));
  }
}

}  // namespace heddle::cli
