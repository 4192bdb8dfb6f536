// Messages about a user's input, each with the place it is about.
//
// Readers of input (PTX, configuration, traces) collect diagnostics and go on, so that one run shows every mistake.
// A Diagnostics object is bounded: after `kMaxErrors` it only counts, so hostile input cannot fill memory.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle {

/// A place in a text: 1-based; line 0 means "the whole input".
struct SourcePlace {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend constexpr bool operator==(const SourcePlace&, const SourcePlace&) = default;
};

struct Diagnostic {
  SourcePlace place;
  std::string message;
};

class Diagnostics {
 public:
  static constexpr std::size_t kMaxErrors = 200;

  explicit Diagnostics(std::string input_name) : input_name_(std::move(input_name)) {}

  void error(SourcePlace place, std::string message);

  [[nodiscard]] bool ok() const { return count_ == 0; }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] const std::vector<Diagnostic>& errors() const { return errors_; }
  [[nodiscard]] const std::string& input_name() const { return input_name_; }

  /// All messages as "name:line:column: error: message", one per line, in the order of the input.
  [[nodiscard]] std::string text() const;
  /// Throws UserError with `text()` unless `ok()`.
  void throw_if_errors() const;

 private:
  std::string input_name_;
  std::vector<Diagnostic> errors_;
  std::size_t count_ = 0;
};

/// A mistake of the user (input, option, file). The message names the place and what is allowed.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace heddle
