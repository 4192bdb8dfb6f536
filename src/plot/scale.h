// Round numbers along an axis.
#pragma once

#include <string>
#include <vector>

namespace heddle::plot {

struct Scale {
  double low = 0;
  double high = 1;
  double step = 0.2;

  [[nodiscard]] std::vector<double> ticks() const;
  /// With as many decimals as the step has.
  [[nodiscard]] std::string text_of(double tick) const;
};

/// A scale that begins at or below 0 and has the greatest and the least value on it, in about five steps.
[[nodiscard]] Scale scale_for(double least, double greatest);

}  // namespace heddle::plot
