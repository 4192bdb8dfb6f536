#include "ptx/lexer.h"

#include <array>

namespace heddle::ptx {
namespace {

enum Class : std::uint8_t { kWord = 1, kDigit = 2, kHexadecimal = 4, kNameStart = 8 };

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (unsigned c = 0; c < 256; ++c) {
    const bool digit = c >= '0' && c <= '9';
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool hexadecimal = digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (digit) classes[c] |= kDigit;
    if (hexadecimal) classes[c] |= kHexadecimal;
    if (digit || letter || c == '_' || c == '$') classes[c] |= kWord;
    if (letter || c == '_' || c == '$' || c == '%') classes[c] |= kNameStart;
  }
  return classes;
}
constexpr auto kClasses = make_classes();

bool is(char c, std::uint8_t classes) { return (kClasses[static_cast<unsigned char>(c)] & classes) != 0; }

}  // namespace

std::string_view name_of(TokenKind kind) {
  static constexpr std::array<std::string_view, 41> kNames = {"end of file", "an invalid token",
                                                              "a name",      "a directive",
                                                              "an integer",  "a number",
                                                              "a number",    "a number",
                                                              "a string",    "'{'",
                                                              "'}'",         "'['",
                                                              "']'",         "'('",
                                                              "')'",         "','",
                                                              "';'",         "':'",
                                                              "'@'",         "'?'",
                                                              "'='",         "'!'",
                                                              "'~'",         "'+'",
                                                              "'-'",         "'*'",
                                                              "'/'",         "'%'",
                                                              "'&'",         "'^'",
                                                              "'|'",         "'<'",
                                                              "'>'",         "'<='",
                                                              "'>='",        "'=='",
                                                              "'!='",        "'<<'",
                                                              "'>>'",        "'&&'",
                                                              "'||'"};
  static_assert(kNames.size() == static_cast<std::size_t>(TokenKind::or_or) + 1);
  return kNames[static_cast<std::size_t>(kind)];
}

Lexer::Lexer(std::string_view text) : at_(text.data()), end_(text.data() + text.size()), line_start_(text.data()) {}

SourcePlace Lexer::place_of(const char* at) const { return {line_, static_cast<std::uint32_t>(at - line_start_ + 1)}; }

Token Lexer::token(TokenKind kind, const char* start) const {
  return {kind, {start, static_cast<std::size_t>(at_ - start)}, place_of(start), nullptr};
}

Token Lexer::invalid(const char* start, const char* problem) const {
  Token result = token(TokenKind::invalid, start);
  result.problem = problem;
  return result;
}

bool Lexer::skip_block_comment() {
  const char* const start = at_;
  const char* const start_of_line = line_start_;
  const std::uint32_t line = line_;
  for (at_ += 2; at_ < end_; ++at_) {
    if (*at_ == '\n') {
      ++line_;
      line_start_ = at_ + 1;
    } else if (*at_ == '*' && peek(1) == '/') {
      at_ += 2;
      return true;
    }
  }
  at_ = start;  // the message points at the comment's beginning
  line_start_ = start_of_line;
  line_ = line;
  return false;
}

const char* Lexer::skip_blank() {
  while (at_ < end_) {
    switch (*at_) {
      case '\n':
        ++line_;
        line_start_ = ++at_;
        break;
      case ' ':
      case '\t':
      case '\r':
      case '\v':
      case '\f':
        ++at_;
        break;
      case '/':
        if (peek(1) == '/') {
          while (at_ < end_ && *at_ != '\n') ++at_;
        } else if (peek(1) == '*') {
          if (!skip_block_comment()) return "this comment does not end";
        } else {
          return nullptr;
        }
        break;
      case '@':
        if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).substr(0, 7) != "@@DWARF") return nullptr;
        while (at_ < end_ && *at_ != '\n') ++at_;
        break;
      default:
        return nullptr;
    }
  }
  return nullptr;
}

Token Lexer::next() {
  if (const char* problem = skip_blank()) {
    Token result = invalid(at_, problem);
    at_ = end_;
    return result;
  }
  if (at_ == end_) return token(TokenKind::end, at_);
  const char* const start = at_;
  const char c = *start;
  if (is(c, kNameStart) && (c != '%' || is(peek(1), kWord))) {
    do ++at_;
    while (at_ < end_ && is(*at_, kWord));
    return token(TokenKind::identifier, start);
  }
  if (c == '.' && is(peek(1), kWord)) {
    do ++at_;
    while (at_ < end_ && (is(*at_, kWord) || (*at_ == ':' && peek(1) == ':' && is(peek(2), kWord) && ++at_ != end_)));
    Token result = token(TokenKind::directive, start);
    result.text.remove_prefix(1);
    return result;
  }
  if (is(c, kDigit)) return number(start);
  if (c == '"') return quoted(start);
  return punctuation(start);
}

Token Lexer::reread_as_number(const Token& token) {
  at_ = token.text.data() - 1;
  return number(at_);
}

Token Lexer::hexadecimal_real(const char* start, TokenKind kind, int digits) {
  at_ = start + 2;
  while (at_ < end_ && is(*at_, kWord)) ++at_;
  bool good = at_ - start == 2 + digits;
  for (const char* c = start + 2; c < at_; ++c) good = good && is(*c, kHexadecimal);
  if (good) return token(kind, start);
  return invalid(start, digits == 8 ? "a number 0f... has exactly 8 hexadecimal digits"
                                    : "a number 0d... has exactly 16 hexadecimal digits");
}

Token Lexer::number(const char* start) {
  const char second = peek(1);
  if (*start == '0') {
    if (second == 'f' || second == 'F') return hexadecimal_real(start, TokenKind::real32, 8);
    if (second == 'd' || second == 'D') return hexadecimal_real(start, TokenKind::real64, 16);
  }
  TokenKind kind = TokenKind::integer;
  if (*start == '0' && (second == 'x' || second == 'X' || second == 'b' || second == 'B')) {
    const bool binary = second == 'b' || second == 'B';
    at_ += 2;
    const char* const digits = at_;
    while (at_ < end_ && (binary ? *at_ == '0' || *at_ == '1' : is(*at_, kHexadecimal))) ++at_;
    if (at_ == digits) return invalid(start, "a number needs at least one digit after its prefix");
  } else {
    while (at_ < end_ && is(*at_, kDigit)) ++at_;
    if (peek() == '.' && (!is(peek(1), kNameStart) || peek(1) == 'e' || peek(1) == 'E')) {
      kind = TokenKind::real;
      ++at_;
      while (at_ < end_ && is(*at_, kDigit)) ++at_;
    }
    if (peek() == 'e' || peek() == 'E') {
      kind = TokenKind::real;
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      const char* const exponent = at_;
      while (at_ < end_ && is(*at_, kDigit)) ++at_;
      if (at_ == exponent) return invalid(start, "the exponent of this number has no digits");
    }
  }
  if (kind == TokenKind::integer && (peek() == 'U' || peek() == 'u')) ++at_;
  if (at_ < end_ && is(*at_, kWord)) {
    while (at_ < end_ && is(*at_, kWord)) ++at_;
    return invalid(start, "this is neither a number nor a name");
  }
  return token(kind, start);
}

Token Lexer::quoted(const char* start) {
  for (++at_; at_ < end_ && *at_ != '\n'; ++at_) {
    if (*at_ == '"') {
      Token result = token(TokenKind::string, start);
      result.text.remove_prefix(1);
      ++at_;
      return result;
    }
    if (*at_ == '\\' && at_ + 1 < end_ && at_[1] != '\n') ++at_;
  }
  return invalid(start, "this string does not end on its line");
}

Token Lexer::punctuation(const char* start) {
  const char second = peek(1);
  const auto make = [&](TokenKind kind, int length) {
    at_ += length;
    return token(kind, start);
  };
  switch (*start) {
    case '{':
      return make(TokenKind::left_brace, 1);
    case '}':
      return make(TokenKind::right_brace, 1);
    case '[':
      return make(TokenKind::left_bracket, 1);
    case ']':
      return make(TokenKind::right_bracket, 1);
    case '(':
      return make(TokenKind::left_paren, 1);
    case ')':
      return make(TokenKind::right_paren, 1);
    case ',':
      return make(TokenKind::comma, 1);
    case ';':
      return make(TokenKind::semicolon, 1);
    case ':':
      return make(TokenKind::colon, 1);
    case '@':
      return make(TokenKind::at, 1);
    case '?':
      return make(TokenKind::question, 1);
    case '~':
      return make(TokenKind::tilde, 1);
    case '+':
      return make(TokenKind::plus, 1);
    case '-':
      return make(TokenKind::minus, 1);
    case '*':
      return make(TokenKind::star, 1);
    case '/':
      return make(TokenKind::slash, 1);
    case '%':
      return make(TokenKind::percent, 1);
    case '^':
      return make(TokenKind::caret, 1);
    case '!':
      return second == '=' ? make(TokenKind::not_equal, 2) : make(TokenKind::bang, 1);
    case '=':
      return second == '=' ? make(TokenKind::equal_equal, 2) : make(TokenKind::equals, 1);
    case '&':
      return second == '&' ? make(TokenKind::and_and, 2) : make(TokenKind::ampersand, 1);
    case '|':
      return second == '|' ? make(TokenKind::or_or, 2) : make(TokenKind::bar, 1);
    case '<':
      if (second == '<') return make(TokenKind::shift_left, 2);
      return second == '=' ? make(TokenKind::less_equal, 2) : make(TokenKind::less, 1);
    case '>':
      if (second == '>') return make(TokenKind::shift_right, 2);
      return second == '=' ? make(TokenKind::greater_equal, 2) : make(TokenKind::greater, 1);
    case '.':
      ++at_;
      return invalid(start, "a '.' must be followed by a word");
    default:
      // Runs of bytes that mean nothing are one token, so that binary input is not one message per byte.
      do ++at_;
      while (at_ < end_ && (static_cast<unsigned char>(*at_) >= 0x80 || static_cast<unsigned char>(*at_) < 0x20) &&
             (*at_ < '\t' || *at_ > '\r'));
      return invalid(start, "PTX has no such character");
  }
}

}  // namespace heddle::ptx
