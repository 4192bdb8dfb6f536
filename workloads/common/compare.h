// Comparing what the GPU computed with the CPU reference: an Outcome that names the first difference.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "workloads/workload.h"

namespace heddle::workloads {

namespace detail {

template <typename T, typename Equal>
Outcome compare(std::span<const T> expected, std::span<const T> actual, std::string_view what, std::string_view rule,
                Equal&& equal) {
  if (expected.size() != actual.size()) {
    return {false, fmt::format("{}: {} values expected, {} found", what, expected.size(), actual.size())};
  }
  std::size_t differences = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (equal(expected[i], actual[i])) continue;
    if (differences++ == 0) first = i;
  }
  if (differences == 0) return {true, fmt::format("{}: {} values {}", what, expected.size(), rule)};
  return {false, fmt::format("{}: {} of {} values differ ({}), the first at index {}: expected {}, found {}", what,
                             differences, expected.size(), rule, first, expected[first], actual[first])};
}

}  // namespace detail

/// Every value equal. For floats use it only where the CPU performs the same operations in the same order.
template <typename T>
Outcome compare_exact(const std::vector<T>& expected, const std::vector<T>& actual, std::string_view what) {
  return detail::compare<T>(expected, actual, what, "equal", [](T a, T b) { return a == b; });
}

/// |actual - expected| <= absolute + relative * |expected| for every value; NaN never passes.
template <typename T>
Outcome compare_close(const std::vector<T>& expected, const std::vector<T>& actual, double relative, double absolute,
                      std::string_view what) {
  const std::string rule = fmt::format("within {:.3g} relative + {:.3g} absolute", relative, absolute);
  return detail::compare<T>(expected, actual, what, rule, [=](T a, T b) {
    const double wanted = static_cast<double>(a);
    return std::abs(static_cast<double>(b) - wanted) <= absolute + relative * std::abs(wanted);
  });
}

/// The first failure, or success with both details.
inline Outcome both(Outcome first, Outcome second) {
  if (!first.passed) return first;
  if (!second.passed) return second;
  return {true, first.detail + "; " + second.detail};
}

}  // namespace heddle::workloads
