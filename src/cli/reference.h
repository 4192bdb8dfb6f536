// Pages with every parameter and every statistic, from what they say of themselves.
#pragma once

#include <string>

namespace heddle::cli {

/// docs/reference/parameters.md
[[nodiscard]] std::string parameter_page();
/// docs/reference/statistics.md
[[nodiscard]] std::string statistic_page();

}  // namespace heddle::cli
