// A chart as CSV, a line per bar: for other programs, and to be drawn again.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/diagnostics.h"
#include "plot/bar_chart.h"
#include "plot/csv.h"

namespace heddle::plot {
namespace {

const std::vector<std::string> kChartColumns{"group", "variant", "value", "low", "high", "runs"};

std::size_t place_of(std::vector<std::string>& names, const std::string& name) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

double chart_number(const std::string& text, const std::string& place, const std::string& column) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw UserError(fmt::format("{}: {} is '{}', and must be a number", place, column, text));
  return value;
}

}  // namespace

std::string to_csv(const BarChart& chart) {
  std::string out = csv_line(kChartColumns);
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    for (std::size_t v = 0; v < chart.variants.size(); ++v) {
      const auto& bar = chart.bars[v][g];
      const auto text = [&](double value) { return bar ? fmt::format("{}", value) : std::string(); };
      const Bar shown = bar.value_or(Bar{});
      out += csv_line({chart.groups[g], chart.variants[v], text(shown.value), text(shown.low), text(shown.high),
                       fmt::format("{}", bar ? bar->runs : 0)});
    }
  }
  return out;
}

BarChart chart_from_csv(const std::string& text, const std::string& name) {
  const auto lines = parse_csv(text);
  if (lines.empty() || lines[0] != kChartColumns)
    throw UserError(fmt::format("{}:1: the first line must be {}", name, fmt::join(kChartColumns, ",")));
  BarChart chart;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string>& line = lines[i];
    const std::string place = fmt::format("{}:{}", name, i + 1);
    if (line.size() != kChartColumns.size())
      throw UserError(fmt::format("{}: {} fields, and there must be {}", place, line.size(), kChartColumns.size()));
    const std::size_t g = place_of(chart.groups, line[0]);
    const std::size_t v = place_of(chart.variants, line[1]);
    chart.bars.resize(chart.variants.size());
    for (auto& variant : chart.bars) variant.resize(chart.groups.size());
    if (line[2].empty()) continue;
    Bar bar;
    bar.value = chart_number(line[2], place, kChartColumns[2]);
    bar.low = line[3].empty() ? bar.value : chart_number(line[3], place, kChartColumns[3]);
    bar.high = line[4].empty() ? bar.value : chart_number(line[4], place, kChartColumns[4]);
    bar.runs = line[5].empty() ? 1 : static_cast<unsigned>(chart_number(line[5], place, kChartColumns[5]));
    chart.bars[v][g] = bar;
  }
  if (chart.groups.empty()) throw UserError(fmt::format("{}: there is no bar in it", name));
  // What is called a mean at the end stands apart.
  while (chart.apart + 1 < chart.groups.size() &&
         chart.groups[chart.groups.size() - chart.apart - 1].find("mean") != std::string::npos)
    ++chart.apart;
  return chart;
}

}  // namespace heddle::plot
