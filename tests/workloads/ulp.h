// The error of a computed value in units in the last place of the exact one.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle::workloads {

template <typename T>
double ulp_error(T actual, long double exact) {
  const T rounded = static_cast<T>(exact);
  if (std::isnan(rounded)) return std::isnan(actual) ? 0.0 : std::numeric_limits<double>::infinity();
  if (std::isinf(rounded) || !std::isfinite(actual)) {
    return actual == rounded ? 0.0 : std::numeric_limits<double>::infinity();
  }
  int exponent = 0;
  std::frexp(rounded, &exponent);
  const int lowest = std::numeric_limits<T>::min_exponent;
  const long double unit =
      std::ldexp(1.0L, std::max(rounded == 0 ? lowest : exponent, lowest) - std::numeric_limits<T>::digits);
  return static_cast<double>(std::abs(static_cast<long double>(actual) - exact) / unit);
}

}  // namespace heddle::workloads
