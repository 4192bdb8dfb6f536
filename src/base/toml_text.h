// A look at TOML text before a parser gets it.
//
// TOML allows letters beyond ASCII in strings and comments. toml++ 3.3 has undefined behaviour where it meets one
// elsewhere (its table of white space has holes), and where "elsewhere" is only the parser knows. So our files are
// ASCII.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

namespace heddle {

inline constexpr const char* kOnlyAscii = "only ASCII is allowed in this file, in comments and strings too";

/// The first line (from 1) with a byte beyond ASCII.
[[nodiscard]] inline std::optional<unsigned> line_beyond_ascii(std::string_view text) {
  const auto* found =
      std::find_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  if (found == text.end()) return std::nullopt;
  return 1 + static_cast<unsigned>(std::count(text.begin(), found, '\n'));
}

}  // namespace heddle
