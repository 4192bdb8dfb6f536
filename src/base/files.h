// Whole files in and out, with messages that a user can act on.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// A whole file. Throws UserError if it cannot be read, or does not end: more than 1 GiB is not what Heddle reads.
[[nodiscard]] std::string read_file(const std::string& path);

/// Throws UserError, which names the option, if a file of that name could not be written. Leaves no trace. What is to
/// come out of a long run is tried before it begins.
void require_writable(std::string_view option, const std::string& path);

/// Puts a text into a file whole: where writing fails (UserError), what was there before is still there.
void write_file(std::string_view option, const std::string& path, std::string_view text);

}  // namespace heddle
