// A bar chart as papers have it: a group of bars for each workload, a bar for each variant, means apart from the rest.
//
// Colours are those of Okabe and Ito, which people with any kind of colour vision tell apart; hatches tell variants
// apart in grey as well. Groups that do not fit side by side go into several rows with the same scale.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plot/drawing.h"

namespace heddle::plot {

struct Bar {
  double value = 0;
  double low = 0;  ///< ends of the error bar; the same where there is none
  double high = 0;
  unsigned runs = 1;  ///< how many runs the value comes from
};

struct BarChart {
  std::string title;  ///< of the file; not drawn, since papers have captions
  std::string y_title;
  std::string legend_title;  ///< what the variants are values of; empty: nothing
  std::vector<std::string> groups;
  std::size_t apart = 0;  ///< so many groups at the end are means
  std::vector<std::string> variants;
  std::vector<std::vector<std::optional<Bar>>> bars;  ///< by variant and group
  bool stacked = false;
  std::optional<double> reference;  ///< where a line goes across
  std::optional<double> y_max;      ///< bars above it are cut off, with their value beside them
};

/// A column of two-column paper (ACM: 3.33 inches), and both.
inline constexpr double kColumnWidth = 240;
inline constexpr double kPageWidth = 504;

struct Style {
  double width = kPageWidth;
  double height = 100;  ///< of the area with bars, in each row
  double font = 7;
  unsigned rows = 0;  ///< 0: as many as bars need to be told apart
};

[[nodiscard]] Drawing draw(const BarChart& chart, const Style& style);
/// How wide a bar becomes.
[[nodiscard]] double bar_width(const BarChart& chart, const Style& style);

/// The values: group, variant, value, low, high, runs. Empty where there is none.
[[nodiscard]] std::string to_csv(const BarChart& chart);
/// Reads what to_csv writes; `name` is said in messages. Throws UserError with the line.
[[nodiscard]] BarChart chart_from_csv(const std::string& text, const std::string& name);

}  // namespace heddle::plot
