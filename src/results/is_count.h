// Which statistics are whole numbers, wherever they are written: in the database, as JSON and in Python.
#pragma once

#include <string_view>

namespace heddle::results {

/// Whether a statistic of that name counts something.
[[nodiscard]] constexpr bool is_count(std::string_view statistic) {
  return statistic.starts_with("gpu.") || (statistic.starts_with("mix.") && statistic != "mix.ipc");
}

}  // namespace heddle::results
