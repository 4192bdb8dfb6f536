// Splits PTX text into tokens: views into the text, no copies, one token at a time.
//
// White space, comments and `@@DWARF` lines vanish here. A token that cannot be read is delivered as `invalid` with the
// reason, not reported: whether it matters is the parser's business (debug sections are skipped unread).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/diagnostics.h"

namespace heddle::ptx {

// clang-format off
enum class TokenKind : std::uint8_t {
  end, invalid,
  identifier,   ///< a name, with its leading % $ or _; a lone `_` too
  directive,    ///< `.word`, text without the dot; `::` forms are one token: "shared::cta", "L2::128B"
  integer,      ///< decimal, hexadecimal, octal or binary, perhaps with the suffix U
  real,         ///< decimal floating point
  real32,       ///< `0f` and 8 hexadecimal digits
  real64,       ///< `0d` and 16 hexadecimal digits
  string,       ///< text between the quotes, escapes as written
  left_brace, right_brace, left_bracket, right_bracket, left_paren, right_paren,
  comma, semicolon, colon, at, question, equals,
  bang, tilde, plus, minus, star, slash, percent, ampersand, caret, bar,
  less, greater, less_equal, greater_equal, equal_equal, not_equal, shift_left, shift_right, and_and, or_or,
};
// clang-format on

/// How messages call a token of this kind: "';'", "a name", "an integer".
[[nodiscard]] std::string_view name_of(TokenKind kind);

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  SourcePlace place;
  const char* problem = nullptr;  ///< of an invalid token: what is wrong with it
};

class Lexer {
 public:
  explicit Lexer(std::string_view text);

  [[nodiscard]] Token next();
  /// Reads the directive token `token` (".5") again as a number; `token` must be the last one delivered.
  [[nodiscard]] Token reread_as_number(const Token& token);

 private:
  /// Moves to the next token; null, or why the white space before it is wrong (an unterminated comment).
  [[nodiscard]] const char* skip_blank();
  [[nodiscard]] bool skip_block_comment();
  [[nodiscard]] SourcePlace place_of(const char* at) const;
  [[nodiscard]] Token number(const char* start);
  [[nodiscard]] Token hexadecimal_real(const char* start, TokenKind kind, int digits);
  [[nodiscard]] Token quoted(const char* start);
  [[nodiscard]] Token punctuation(const char* start);
  [[nodiscard]] Token token(TokenKind kind, const char* start) const;
  [[nodiscard]] Token invalid(const char* start, const char* problem) const;
  [[nodiscard]] char peek(std::ptrdiff_t ahead = 0) const { return end_ - at_ > ahead ? at_[ahead] : '\0'; }

  const char* at_;
  const char* end_;
  const char* line_start_;
  std::uint32_t line_ = 1;
};

}  // namespace heddle::ptx
