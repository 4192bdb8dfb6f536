// Arithmetic over named figures: "gpu.sm.l1_hits / gpu.sm.l1_reads", "1000 * misses / warp_instructions".
//
// Numbers, names (letters, digits, '_', '.', '[', ']'), + - * /, parentheses and abs(...). A name without a value, and
// a division by zero, make the whole expression have none.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::results {

class Expression {
 public:
  /// Throws UserError that says what is wrong, and where in the text.
  explicit Expression(std::string_view text);

  using Lookup = std::function<std::optional<double>(const std::string& name)>;
  [[nodiscard]] std::optional<double> value(const Lookup& lookup) const;
  /// The names in it, in the order of the text.
  [[nodiscard]] std::vector<std::string> names() const;
  /// The name, if the expression is nothing but one.
  [[nodiscard]] std::optional<std::string> single_name() const;
  [[nodiscard]] const std::string& text() const { return text_; }
  /// The same for a database, where `name` says what a name is there; empty if it cannot be said there: a name that is
  /// not, abs(), a difference, which makes small errors large, or an expression that is very long.
  [[nodiscard]] std::string sql(const std::function<std::string(const std::string& name)>& name) const;

 private:
  /// In reverse Polish order: a number, a name, or an operator.
  struct Token {
    enum class Kind : std::uint8_t { number, name, add, subtract, multiply, divide, negate, absolute } kind;
    double number = 0;
    std::string name;
  };
  friend class ExpressionParser;
  std::string text_;
  std::vector<Token> tokens_;
};

}  // namespace heddle::results
