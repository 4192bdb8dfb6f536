// Values separated by commas, as RFC 4180 has them, with plain newlines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::plot {

/// A line with its newline; fields are quoted where they must be.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields);
/// The lines of a text; empty ones are left out.
[[nodiscard]] std::vector<std::vector<std::string>> parse_csv(std::string_view text);

}  // namespace heddle::plot
