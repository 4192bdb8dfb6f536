#include "ptx/constant.h"

#include <fmt/format.h>

#include <bit>

#include "base/types.h"
#include "ptx/literal.h"

namespace heddle::ptx {
namespace {

using Kind = Constant::Kind;

int precedence(TokenKind kind) {
  switch (kind) {
    case TokenKind::or_or:
      return 1;
    case TokenKind::and_and:
      return 2;
    case TokenKind::bar:
      return 3;
    case TokenKind::caret:
      return 4;
    case TokenKind::ampersand:
      return 5;
    case TokenKind::equal_equal:
    case TokenKind::not_equal:
      return 6;
    case TokenKind::less:
    case TokenKind::less_equal:
    case TokenKind::greater:
    case TokenKind::greater_equal:
      return 7;
    case TokenKind::shift_left:
    case TokenKind::shift_right:
      return 8;
    case TokenKind::plus:
    case TokenKind::minus:
      return 9;
    case TokenKind::star:
    case TokenKind::slash:
    case TokenKind::percent:
      return 10;
    default:
      return 0;
  }
}

Constant truth(bool value, SourcePlace place) { return {Kind::signed64, value ? 1u : 0u, place}; }
bool is_true(const Constant& value) { return value.is_real() ? value.real() != 0 : value.bits != 0; }

std::optional<Constant> binary_real(TokenStream& tokens, const Token& sign, double a, double b, SourcePlace place) {
  const auto real = [&](double value) { return Constant{Kind::real64, std::bit_cast<std::uint64_t>(value), place}; };
  switch (sign.kind) {
    case TokenKind::plus:
      return real(a + b);
    case TokenKind::minus:
      return real(a - b);
    case TokenKind::star:
      return real(a * b);
    case TokenKind::slash:
      return real(a / b);
    case TokenKind::equal_equal:
      return truth(a == b, place);
    case TokenKind::not_equal:
      return truth(a != b, place);
    case TokenKind::less:
      return truth(a < b, place);
    case TokenKind::less_equal:
      return truth(a <= b, place);
    case TokenKind::greater:
      return truth(a > b, place);
    case TokenKind::greater_equal:
      return truth(a >= b, place);
    default:
      tokens.error(sign.place, fmt::format("{} takes integers only", name_of(sign.kind)));
      return std::nullopt;
  }
}

/// Division by zero is excluded by the caller; INT64_MIN / -1 wraps, as all integer arithmetic here.
std::uint64_t divide(std::uint64_t a, std::uint64_t b, bool is_signed, bool remainder) {
  if (!is_signed) return remainder ? a % b : a / b;
  if (b == ~std::uint64_t{0}) return remainder ? 0 : 0 - a;
  const auto x = static_cast<std::int64_t>(a);
  const auto y = static_cast<std::int64_t>(b);
  return static_cast<std::uint64_t>(remainder ? x % y : x / y);
}

std::optional<Constant> binary(TokenStream& tokens, const Token& sign, const Constant& left, const Constant& right) {
  const SourcePlace place = left.place;
  if (sign.kind == TokenKind::and_and) return truth(is_true(left) && is_true(right), place);
  if (sign.kind == TokenKind::or_or) return truth(is_true(left) || is_true(right), place);
  if (left.is_real() || right.is_real()) return binary_real(tokens, sign, left.real(), right.real(), place);

  const bool is_shift = sign.kind == TokenKind::shift_left || sign.kind == TokenKind::shift_right;
  const bool is_signed = left.kind == Kind::signed64 && (is_shift || right.kind == Kind::signed64);
  const std::uint64_t a = left.bits;
  const std::uint64_t b = right.bits;
  const auto integer = [&](std::uint64_t bits) {
    return Constant{is_signed ? Kind::signed64 : Kind::unsigned64, bits, place};
  };
  const bool less = is_signed ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
  switch (sign.kind) {
    case TokenKind::plus:
      return integer(a + b);
    case TokenKind::minus:
      return integer(a - b);
    case TokenKind::star:
      return integer(a * b);
    case TokenKind::slash:
    case TokenKind::percent:
      if (b == 0) {
        tokens.error(sign.place, "division by zero in a constant expression");
        return std::nullopt;
      }
      return integer(divide(a, b, is_signed, sign.kind == TokenKind::percent));
    case TokenKind::shift_left:
      return integer(b < 64 ? a << b : 0);
    case TokenKind::shift_right:
      if (is_signed) return integer(static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> (b < 64 ? b : 63)));
      return integer(b < 64 ? a >> b : 0);
    case TokenKind::ampersand:
      return integer(a & b);
    case TokenKind::bar:
      return integer(a | b);
    case TokenKind::caret:
      return integer(a ^ b);
    case TokenKind::equal_equal:
      return truth(a == b, place);
    case TokenKind::not_equal:
      return truth(a != b, place);
    case TokenKind::less:
      return truth(less, place);
    case TokenKind::less_equal:
      return truth(less || a == b, place);
    case TokenKind::greater:
      return truth(!less && a != b, place);
    default:
      return truth(!less, place);  // greater_equal
  }
}

std::optional<Constant> unary(TokenStream& tokens);

std::optional<Constant> parenthesised(TokenStream& tokens) {
  tokens.advance();
  if (tokens.at_directive("s64") || tokens.at_directive("u64")) {
    const Kind kind = tokens.at_directive("s64") ? Kind::signed64 : Kind::unsigned64;
    tokens.advance();
    if (!tokens.expect(TokenKind::right_paren, "after the type of a cast")) return std::nullopt;
    auto value = unary(tokens);
    if (!value) return std::nullopt;
    if (value->is_real()) {
      tokens.error(value->place, "a cast takes an integer");
      return std::nullopt;
    }
    value->kind = kind;
    return value;
  }
  auto value = parse_constant(tokens);
  if (!value || !tokens.expect(TokenKind::right_paren, "after the expression")) return std::nullopt;
  return value;
}

std::optional<Constant> primary(TokenStream& tokens) {
  tokens.read_number();
  const Token token = tokens.current();
  switch (token.kind) {
    case TokenKind::integer:
    case TokenKind::real:
    case TokenKind::real32:
    case TokenKind::real64: {
      auto value = value_of_literal(token);
      if (!value) {
        tokens.error(token.place, fmt::format("the number {} does not fit 64 bits or is malformed", quote(token.text)));
        return std::nullopt;
      }
      tokens.advance();
      return value;
    }
    case TokenKind::left_paren:
      return parenthesised(tokens);
    case TokenKind::identifier:
      if (token.text == "WARP_SZ") {
        tokens.advance();
        return Constant{Kind::signed64, kWarpSize, token.place};
      }
      [[fallthrough]];
    default:
      tokens.unexpected("a constant");
      return std::nullopt;
  }
}

std::optional<Constant> negate(Constant value) {
  switch (value.kind) {
    case Kind::real32:
      value.bits ^= 0x80000000u;
      break;
    case Kind::real64:
      value.bits ^= std::uint64_t{1} << 63;
      break;
    default:
      value.bits = 0 - value.bits;
  }
  return value;
}

std::optional<Constant> unary(TokenStream& tokens) {
  const TokenStream::Nesting nesting(tokens);
  if (!nesting.allowed()) return std::nullopt;
  const Token sign = tokens.current();
  switch (sign.kind) {
    case TokenKind::plus:
    case TokenKind::minus:
    case TokenKind::bang:
    case TokenKind::tilde:
      break;
    default:
      return primary(tokens);
  }
  tokens.advance();
  auto value = unary(tokens);
  if (!value) return std::nullopt;
  value->place = sign.place;
  if (sign.kind == TokenKind::plus) return value;
  if (sign.kind == TokenKind::minus) return negate(*value);
  if (sign.kind == TokenKind::bang) return truth(!is_true(*value), sign.place);
  if (value->is_real()) {
    tokens.error(sign.place, "'~' takes integers only");
    return std::nullopt;
  }
  value->bits = ~value->bits;
  return value;
}

std::optional<Constant> operators_from(TokenStream& tokens, int least) {
  auto left = unary(tokens);
  while (left) {
    const Token sign = tokens.current();
    const int level = precedence(sign.kind);
    if (level == 0 || level < least) break;
    tokens.advance();
    const auto right = operators_from(tokens, level + 1);
    if (!right) return std::nullopt;
    left = binary(tokens, sign, *left, *right);
  }
  return left;
}

}  // namespace

double Constant::real() const {
  switch (kind) {
    case Kind::signed64:
      return static_cast<double>(static_cast<std::int64_t>(bits));
    case Kind::unsigned64:
      return static_cast<double>(bits);
    case Kind::real32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    default:
      return std::bit_cast<double>(bits);
  }
}

std::optional<Constant> parse_constant(TokenStream& tokens) {
  const TokenStream::Nesting nesting(tokens);
  if (!nesting.allowed()) return std::nullopt;
  const auto condition = operators_from(tokens, 1);
  if (!condition || !tokens.accept(TokenKind::question)) return condition;
  const auto yes = parse_constant(tokens);
  if (!yes || !tokens.expect(TokenKind::colon, "between the values of '?:'")) return std::nullopt;
  const auto no = parse_constant(tokens);
  if (!no) return std::nullopt;
  return is_true(*condition) ? yes : no;
}

std::optional<std::int64_t> parse_integer_constant(TokenStream& tokens) {
  const auto value = parse_constant(tokens);
  if (!value) return std::nullopt;
  if (value->is_real()) {
    tokens.error(value->place, "expected an integer, found a floating-point number");
    return std::nullopt;
  }
  return static_cast<std::int64_t>(value->bits);
}

std::optional<std::uint64_t> parse_integer_literal(TokenStream& tokens, std::uint64_t least, std::uint64_t most,
                                                   std::string_view what) {
  if (!tokens.at(TokenKind::integer)) {
    tokens.unexpected(what);
    return std::nullopt;
  }
  const auto value = value_of_literal(tokens.current());
  if (!value || value->bits < least || value->bits > most) {
    tokens.error(tokens.place(),
                 fmt::format("{} must be between {} and {}, not {}", what, least, most, quote(tokens.current().text)));
    return std::nullopt;
  }
  tokens.advance();
  return value->bits;
}

bool starts_constant(const TokenStream& tokens) {
  switch (tokens.current().kind) {
    case TokenKind::integer:
    case TokenKind::real:
    case TokenKind::real32:
    case TokenKind::real64:
    case TokenKind::plus:
    case TokenKind::minus:
    case TokenKind::tilde:
    case TokenKind::bang:
    case TokenKind::left_paren:
      return true;
    case TokenKind::directive:
      return tokens.current().text.front() >= '0' && tokens.current().text.front() <= '9';
    case TokenKind::identifier:
      return tokens.current().text == "WARP_SZ";
    default:
      return false;
  }
}

}  // namespace heddle::ptx
