#include "ptx/literal.h"

#include <bit>
#include <charconv>

namespace heddle::ptx {
namespace {

std::optional<std::uint64_t> digits(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (problem != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Constant> integer(const Token& token) {
  std::string_view text = token.text;
  const bool suffixed = text.back() == 'U' || text.back() == 'u';
  if (suffixed) text.remove_suffix(1);
  int base = 10;
  if (text.size() > 1 && text.front() == '0') {
    const char mark = text[1];
    base = mark == 'x' || mark == 'X' ? 16 : mark == 'b' || mark == 'B' ? 2 : 8;
    text.remove_prefix(base == 8 ? 1 : 2);
  }
  const auto value = digits(text, base);
  if (!value) return std::nullopt;
  const bool is_unsigned = suffixed || *value > static_cast<std::uint64_t>(INT64_MAX);
  return Constant{is_unsigned ? Constant::Kind::unsigned64 : Constant::Kind::signed64, *value, token.place};
}

std::optional<Constant> decimal_real(const Token& token) {
  // from_chars leaves the value alone when it is out of range, and does not say in which direction; C's rules (rounding
  // to zero or infinity) would hide a mistake, so such numbers are refused.
  double value = 0;
  const char* const last = token.text.data() + token.text.size();
  const auto [rest, problem] = std::from_chars(token.text.data(), last, value);
  if (problem != std::errc() || rest != last) return std::nullopt;
  return Constant{Constant::Kind::real64, std::bit_cast<std::uint64_t>(value), token.place};
}

}  // namespace

std::optional<Constant> value_of_literal(const Token& token) {
  switch (token.kind) {
    case TokenKind::integer:
      return integer(token);
    case TokenKind::real:
      return decimal_real(token);
    case TokenKind::real32:
      return Constant{Constant::Kind::real32, digits(token.text.substr(2), 16).value_or(0), token.place};
    case TokenKind::real64:
      return Constant{Constant::Kind::real64, digits(token.text.substr(2), 16).value_or(0), token.place};
    default:
      return std::nullopt;
  }
}

}  // namespace heddle::ptx
