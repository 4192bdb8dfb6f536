// What to tell a user who named something that is not there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Insertions, deletions, replacements and swaps of neighbours that turn one text into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known name nearest to `name`; empty if none is near enough to be meant.
[[nodiscard]] std::string nearest(std::string_view name, const std::vector<std::string>& known);

/// "known: ways, sets; did you mean 'ways'?"
[[nodiscard]] std::string known_names(std::string_view name, const std::vector<std::string>& known);

}  // namespace heddle
