// The parser's view of the text: the current token, what to expect of it, and the messages when it is another.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "ptx/lexer.h"

namespace heddle::ptx {

/// Blocks, braces and parentheses nest at most this deep: the parser recurses, and input must not overflow the stack.
inline constexpr unsigned kMaxNesting = 256;

class TokenStream {
 public:
  TokenStream(std::string_view text, Diagnostics& diagnostics);

  [[nodiscard]] const Token& current() const { return current_; }
  [[nodiscard]] SourcePlace place() const { return current_.place; }
  [[nodiscard]] bool at(TokenKind kind) const { return current_.kind == kind; }
  [[nodiscard]] bool at_directive(std::string_view word) const {
    return current_.kind == TokenKind::directive && current_.text == word;
  }
  /// The token after the current one. Reads it anew each time: for rare decisions only.
  [[nodiscard]] Token peek() const;

  void advance() { current_ = lexer_.next(); }
  /// If the current token is a directive that can be read as a number (".5"), makes it one.
  void read_number();

  /// Takes the current token if it is of this kind; says whether it was.
  bool accept(TokenKind kind);
  bool accept_directive(std::string_view word);
  /// As accept, but a token of another kind is an error: "expected ';' WHERE, found 'x'".
  [[nodiscard]] bool expect(TokenKind kind, std::string_view where);

  /// Always false, for `return tokens.unexpected("...")`: reports "expected WHAT, found TOKEN" at the current token.
  bool unexpected(std::string_view what);
  /// Always false.
  bool error(SourcePlace place, std::string message);
  [[nodiscard]] bool has_room_for_errors() const { return diagnostics_.count() < Diagnostics::kMaxErrors; }

  /// Skips the rest of a broken statement: through its `;`, or up to the `}` or `{` of a block.
  void skip_statement();
  /// Skips up to and including the `}` that closes an already opened `{`; false at the end of the text.
  bool skip_braces();

  /// Counts one level of nesting for as long as it lives.
  class Nesting {
   public:
    explicit Nesting(TokenStream& tokens);
    ~Nesting() { --tokens_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    /// False, with a message, when this level is one too many.
    [[nodiscard]] bool allowed() const { return allowed_; }

   private:
    TokenStream& tokens_;
    bool allowed_;
  };

 private:
  Lexer lexer_;
  Token current_;
  Diagnostics& diagnostics_;
  unsigned depth_ = 0;
};

/// A piece of the input as messages show it: quoted, shortened, unprintable bytes as \xNN.
[[nodiscard]] std::string quote(std::string_view text);

}  // namespace heddle::ptx
