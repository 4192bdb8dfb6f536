// Conditions on runs.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "results/expression.h"
#include "results/query.h"

namespace heddle::results {

/// A condition for the database, on `runs r` and `configurations c`.
struct SqlCondition {
  std::string text;
  std::vector<std::variant<double, std::string>> values;  ///< of its parameters, in order
};

/// EXPRESSION OPERATOR VALUE with = != < <= > >=. Texts compare as texts, where '*' stands for anything; of several
/// tags one must fit.
class Filter {
 public:
  explicit Filter(std::string_view text);
  [[nodiscard]] bool matches(const RunRow& row) const;
  [[nodiscard]] std::vector<std::string> names() const { return left_.names(); }
  /// What the database can say of it: it lets through every run that matches, and few others. Nothing if it cannot say.
  [[nodiscard]] std::optional<SqlCondition> sql() const;

 private:
  [[nodiscard]] bool equals(const RunRow& row) const;
  Expression left_;
  std::string operator_;
  std::string right_;
};

/// A whole text that is a number.
[[nodiscard]] std::optional<double> parse_number(const std::string& text);
/// A figure's place in a JSON object of the database.
[[nodiscard]] std::string json_path(const std::string& name);

}  // namespace heddle::results
