#include "results/expression.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>

#include "base/diagnostics.h"

namespace heddle::results {

class ExpressionParser {
 public:
  using Kind = Expression::Token::Kind;
  ExpressionParser(std::string_view text, std::vector<Expression::Token>& out) : text_(text), out_(out) {}

  void parse() {
    sum(0);
    skip_space();
    if (at_ < text_.size()) fail("an operator is missing here");
  }

 private:
  static constexpr int kMostNesting = 100;

  void sum(int depth) {
    product(depth);
    while (true) {
      if (take('+')) {
        product(depth);
        out_.push_back({Kind::add, 0, ""});
      } else if (take('-')) {
        product(depth);
        out_.push_back({Kind::subtract, 0, ""});
      } else {
        return;
      }
    }
  }

  void product(int depth) {
    factor(depth);
    while (true) {
      if (take('*')) {
        factor(depth);
        out_.push_back({Kind::multiply, 0, ""});
      } else if (take('/')) {
        factor(depth);
        out_.push_back({Kind::divide, 0, ""});
      } else {
        return;
      }
    }
  }

  void factor(int depth) {
    if (depth > kMostNesting) fail("too many parentheses or signs");
    if (take('-')) {
      factor(depth + 1);
      out_.push_back({Kind::negate, 0, ""});
      return;
    }
    if (take('(')) {
      sum(depth + 1);
      if (!take(')')) fail("a ')' is missing here");
      return;
    }
    skip_space();
    if (at_ == text_.size()) fail("a number or a name is missing here");
    const char first = text_[at_];
    if (std::isdigit(static_cast<unsigned char>(first)) != 0 || first == '.') {
      double value = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (error != std::errc()) fail("this is not a number");
      at_ = static_cast<std::size_t>(end - text_.data());
      out_.push_back({Kind::number, value, ""});
      return;
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    if (at_ == begin) fail("a number or a name is missing here");
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (name == "abs" && take('(')) {
      sum(depth + 1);
      if (!take(')')) fail("a ')' is missing here");
      out_.push_back({Kind::absolute, 0, ""});
      return;
    }
    out_.push_back({Kind::name, 0, std::string(name)});
  }

  static bool is_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '[' || c == ']';
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  [[noreturn]] void fail(const char* message) const {
    throw UserError(fmt::format("'{}', character {}: {}", text_, at_ + 1, message));
  }

  std::string_view text_;
  std::vector<Expression::Token>& out_;
  std::size_t at_ = 0;
};

Expression::Expression(std::string_view text) : text_(text) { ExpressionParser(text_, tokens_).parse(); }

std::optional<double> Expression::value(const Lookup& lookup) const {
  std::vector<double> stack;
  const auto pop = [&] {
    const double top = stack.back();
    stack.pop_back();
    return top;
  };
  for (const Token& token : tokens_) {
    if (token.kind == Token::Kind::number) {
      stack.push_back(token.number);
      continue;
    }
    if (token.kind == Token::Kind::name) {
      const std::optional<double> found = lookup(token.name);
      if (!found) return std::nullopt;
      stack.push_back(*found);
      continue;
    }
    const double right = pop();
    switch (token.kind) {
      case Token::Kind::negate:
        stack.push_back(-right);
        break;
      case Token::Kind::absolute:
        stack.push_back(std::abs(right));
        break;
      case Token::Kind::add:
        stack.push_back(pop() + right);
        break;
      case Token::Kind::subtract:
        stack.push_back(pop() - right);
        break;
      case Token::Kind::multiply:
        stack.push_back(pop() * right);
        break;
      default:
        if (right == 0) return std::nullopt;
        stack.push_back(pop() / right);
    }
  }
  return stack.back();
}

std::vector<std::string> Expression::names() const {
  std::vector<std::string> found;
  for (const Token& token : tokens_) {
    if (token.kind == Token::Kind::name) found.push_back(token.name);
  }
  return found;
}

std::optional<std::string> Expression::single_name() const {
  if (tokens_.size() != 1 || tokens_[0].kind != Token::Kind::name) return std::nullopt;
  return tokens_[0].name;
}

std::string Expression::sql(const std::function<std::string(const std::string& name)>& name) const {
  constexpr std::size_t kMostTokens = 200;
  if (tokens_.size() > kMostTokens) return "";
  std::vector<std::string> stack;
  for (const Token& token : tokens_) {
    if (token.kind == Token::Kind::number) {
      if (!std::isfinite(token.number)) return "";
      stack.push_back(fmt::format("CAST({} AS REAL)", token.number));
      continue;
    }
    if (token.kind == Token::Kind::name) {
      stack.push_back(name(token.name));
      if (stack.back().empty()) return "";
      continue;
    }
    if (token.kind == Token::Kind::negate || token.kind == Token::Kind::subtract || token.kind == Token::Kind::absolute)
      return "";
    const std::string right = stack.back();
    stack.pop_back();
    const char* format = token.kind == Token::Kind::add        ? "({} + {})"
                         : token.kind == Token::Kind::multiply ? "({} * {})"
                                                               : "({} / NULLIF({}, 0.0))";
    stack.back() = fmt::format(fmt::runtime(format), stack.back(), right);
  }
  return stack.back();
}

}  // namespace heddle::results
