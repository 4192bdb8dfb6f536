// toml++ as every room uses it, with the same settings: files with different ones do not link to one program that
// works.
//
// TOML allows letters beyond ASCII in strings and comments. toml++ 3.3 has undefined behaviour where it meets one
// elsewhere (its table of white space has holes), and where "elsewhere" is only the parser knows. So our files are
// ASCII, and nobody calls toml::parse but parse_toml().
#pragma once

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
// toml++ 3.3 asserts that no table header begins with "[[[" and then reports it as an error all the same. What a user
// writes must not abort a debug build.
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostics.h"

namespace heddle {

/// The first line (from 1) with a byte beyond ASCII.
[[nodiscard]] std::optional<unsigned> line_beyond_ascii(std::string_view text);

/// Parses; nothing, and a message with its place, if the text is not ASCII or the syntax is wrong.
[[nodiscard]] std::optional<toml::table> parse_toml(std::string_view text, Diagnostics& diagnostics);
/// The same for callers that stop there: throws UserError.
[[nodiscard]] toml::table parse_toml(std::string_view text, const std::string& name);

/// Where a part of a file begins.
[[nodiscard]] inline SourcePlace place_of(const toml::source_region& region) {
  return {region.begin.line, region.begin.column};
}
[[nodiscard]] inline SourcePlace place_of(const toml::node& node) { return place_of(node.source()); }

}  // namespace heddle
