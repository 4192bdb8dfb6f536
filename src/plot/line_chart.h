// Figures over time: steps, or areas that lie on each other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plot/bar_chart.h"

namespace heddle::plot {

struct LineChart {
  std::string title;  ///< of the file; not drawn
  std::string x_title;
  std::string y_title;
  std::vector<double> x;  ///< where each interval ends; the first begins at 0
  std::vector<std::string> names;
  std::vector<std::vector<std::optional<double>>> values;  ///< by name and interval
  bool stacked = false;
  std::optional<double> y_max;
};

[[nodiscard]] Drawing draw(const LineChart& chart, const Style& style);

}  // namespace heddle::plot
