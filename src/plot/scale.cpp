#include "plot/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace heddle::plot {

std::vector<double> Scale::ticks() const {
  std::vector<double> all;
  const int count = static_cast<int>(std::floor((high - low) / step + 1e-6));
  for (int i = 0; i <= count; ++i) all.push_back(low + i * step);
  return all;
}

std::string Scale::text_of(double tick) const {
  constexpr int kMostDecimals = 6;
  int decimals = 0;
  for (double rest = step; decimals < kMostDecimals && std::abs(rest - std::round(rest)) > 1e-6; rest *= 10) ++decimals;
  if (step < 1e-4 || step >= 1e6) return fmt::format("{:.3g}", tick);
  return fmt::format("{:.{}f}", std::abs(tick) < step / 2 ? 0.0 : tick, decimals);
}

Scale scale_for(double least, double greatest) {
  constexpr double kSteps = 5;
  constexpr std::array kRound{1.0, 2.0, 2.5, 5.0, 10.0};
  const double low = std::min(least, 0.0);
  const double high = std::max(greatest, 0.0);
  const double span = high > low ? high - low : 1;
  const double size = std::pow(10, std::floor(std::log10(span / kSteps)));
  double step = size * kRound.back();
  for (const double round : kRound) {
    if (span / (size * round) > kSteps + 1e-6) continue;
    step = size * round;
    break;
  }
  return {std::floor(low / step + 1e-6) * step, std::max(std::ceil(high / step - 1e-6), low < 0 ? 0.0 : 1.0) * step,
          step};
}

}  // namespace heddle::plot
