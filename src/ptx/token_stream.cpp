#include "ptx/token_stream.h"

#include <fmt/format.h>

namespace heddle::ptx {

std::string quote(std::string_view text) {
  constexpr std::size_t kShown = 60;
  std::string result = "'";
  for (const char c : text.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  if (text.size() > kShown) result += "...";
  return result + "'";
}

TokenStream::TokenStream(std::string_view text, Diagnostics& diagnostics) : lexer_(text), diagnostics_(diagnostics) {
  advance();
}

Token TokenStream::peek() const {
  Lexer ahead = lexer_;
  return ahead.next();
}

void TokenStream::read_number() {
  if (at(TokenKind::directive) && current_.text.front() >= '0' && current_.text.front() <= '9') {
    current_ = lexer_.reread_as_number(current_);
  }
}

bool TokenStream::accept(TokenKind kind) {
  if (!at(kind)) return false;
  advance();
  return true;
}

bool TokenStream::accept_directive(std::string_view word) {
  if (!at_directive(word)) return false;
  advance();
  return true;
}

bool TokenStream::expect(TokenKind kind, std::string_view where) {
  if (accept(kind)) return true;
  return unexpected(fmt::format("{} {}", name_of(kind), where));
}

bool TokenStream::unexpected(std::string_view what) {
  switch (current_.kind) {
    case TokenKind::invalid:
      return error(place(), fmt::format("{}: {}", current_.problem, quote(current_.text)));
    case TokenKind::end:
      return error(place(), fmt::format("expected {}, found the end of the file", what));
    case TokenKind::directive:
      return error(place(),
                   fmt::format("expected {}, found {}", what, quote("." + std::string(current_.text.substr(0, 64)))));
    case TokenKind::string:
      return error(place(), fmt::format("expected {}, found the string {}", what, quote(current_.text)));
    default:
      return error(place(), fmt::format("expected {}, found {}", what, quote(current_.text)));
  }
}

bool TokenStream::error(SourcePlace place, std::string message) {
  diagnostics_.error(place, std::move(message));
  return false;
}

void TokenStream::skip_statement() {
  while (!at(TokenKind::end)) {
    if (accept(TokenKind::semicolon)) return;
    if (at(TokenKind::right_brace)) {
      // A vector's brace is followed by more of its statement, a block's never is.
      switch (peek().kind) {
        case TokenKind::comma:
        case TokenKind::semicolon:
        case TokenKind::right_bracket:
          break;
        default:
          return;
      }
    }
    if (at(TokenKind::directive) && (current_.text == "entry" || current_.text == "func")) return;
    advance();
  }
}

bool TokenStream::skip_braces() {
  for (std::size_t open = 1; !at(TokenKind::end); advance()) {
    if (at(TokenKind::left_brace)) ++open;
    if (at(TokenKind::right_brace) && --open == 0) {
      advance();
      return true;
    }
  }
  return false;
}

TokenStream::Nesting::Nesting(TokenStream& tokens) : tokens_(tokens), allowed_(++tokens.depth_ <= kMaxNesting) {
  if (!allowed_) tokens_.error(tokens_.place(), fmt::format("nested deeper than {} levels", kMaxNesting));
}

}  // namespace heddle::ptx
