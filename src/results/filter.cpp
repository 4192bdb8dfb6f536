#include "results/filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

namespace heddle::results {
namespace {

bool glob(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace

std::optional<double> parse_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

namespace {

/// Where the operator of a condition begins and what it is.
std::pair<std::size_t, std::string> find_operator(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char* candidate : {"!=", "<=", ">=", "=", "<", ">"}) {
      if (text.substr(i).starts_with(candidate)) return {i, candidate};
    }
  }
  throw UserError(fmt::format("'{}': a condition is NAME=VALUE, or with != < <= > >=", text));
}

}  // namespace

Filter::Filter(std::string_view text)
    : left_(text.substr(0, find_operator(text).first)), operator_(find_operator(text).second) {
  const std::size_t at = find_operator(text).first + operator_.size();
  right_ = text.substr(std::min(at, text.size()));
  right_.erase(0, right_.find_first_not_of(' ') == std::string::npos ? right_.size() : right_.find_first_not_of(' '));
  if (operator_ != "=" && operator_ != "!=" && !parse_number(right_))
    throw UserError(fmt::format("'{}': '{}' compares numbers, and '{}' is none", text, operator_, right_));
}

bool Filter::equals(const RunRow& row) const {
  const std::optional<std::string> name = left_.single_name();
  const std::string text = name ? to_text(row.get(*name)) : "";
  if (name == "tags") {
    std::istringstream tags(text);
    std::string tag;
    while (tags >> tag) {
      if (glob(right_, tag)) return true;
    }
    return right_.empty() && text.empty();
  }
  const auto number = name ? to_number(row.get(*name)) : row.number(left_);
  const auto wanted = parse_number(right_);
  return number && wanted ? *number == *wanted : glob(right_, text);
}

bool Filter::matches(const RunRow& row) const {
  if (operator_ == "=" || operator_ == "!=") return equals(row) == (operator_ == "=");
  const std::optional<std::string> name = left_.single_name();
  const auto number = name ? to_number(row.get(*name)) : row.number(left_);
  if (!number) return false;
  const double wanted = *parse_number(right_);
  if (operator_ == "<") return *number < wanted;
  if (operator_ == "<=") return *number <= wanted;
  if (operator_ == ">") return *number > wanted;
  return *number >= wanted;
}

}  // namespace heddle::results
