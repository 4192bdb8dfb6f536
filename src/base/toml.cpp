#include "base/toml.h"

#include <algorithm>

namespace heddle {

std::optional<unsigned> line_beyond_ascii(std::string_view text) {
  const auto* found =
      std::find_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  if (found == text.end()) return std::nullopt;
  return 1 + static_cast<unsigned>(std::count(text.begin(), found, '\n'));
}

std::optional<toml::table> parse_toml(std::string_view text, Diagnostics& diagnostics) {
  if (const auto line = line_beyond_ascii(text)) {
    diagnostics.error({*line, 1}, "only ASCII is allowed in this file, in comments and strings too");
    return std::nullopt;
  }
  toml::parse_result parsed = toml::parse(text, std::string_view(diagnostics.input_name()));
  if (!parsed) {
    diagnostics.error(place_of(parsed.error().source()), std::string(parsed.error().description()));
    return std::nullopt;
  }
  return std::move(parsed).table();
}

toml::table parse_toml(std::string_view text, const std::string& name) {
  Diagnostics diagnostics(name);
  std::optional<toml::table> table = parse_toml(text, diagnostics);
  diagnostics.throw_if_errors();
  return std::move(*table);
}

}  // namespace heddle
