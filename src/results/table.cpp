#include "results/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "plot/csv.h"

namespace heddle::results {
namespace {

bool is_number(const Value& value) {
  return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
}

Value evaluate(const RunRow& row, const Expression& expression) {
  if (const auto name = expression.single_name()) return row.get(*name);
  const auto number = row.number(expression);
  return number ? Value(*number) : Value();
}

/// The columns a terminal counts: code points, not bytes.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

}  // namespace

std::string to_columns(const Table& table) {
  std::vector<std::size_t> widths;
  for (const std::string& column : table.columns) widths.push_back(width_of(column));
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(to_text(row[c])));
  }
  std::string out;
  const auto line = [&](const std::vector<std::string>& texts, const std::vector<bool>& right) {
    std::string made;
    for (std::size_t c = 0; c < texts.size(); ++c) {
      const std::string space(widths[c] - width_of(texts[c]), ' ');
      if (c != 0) made += "  ";
      made += right[c] ? space + texts[c] : texts[c] + space;
    }
    while (!made.empty() && made.back() == ' ') made.pop_back();
    out += made + "\n";
  };
  std::vector<bool> right(table.columns.size(), false);
  for (std::size_t c = 0; c < right.size(); ++c) {
    right[c] = std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) { return is_number(row[c]); });
  }
  line(table.columns, right);
  for (const auto& row : table.rows) {
    std::vector<std::string> texts;
    texts.reserve(row.size());
    for (const Value& value : row) texts.push_back(to_text(value));
    line(texts, right);
  }
  return out;
}

std::string to_csv(const Table& table) {
  std::string out = plot::csv_line(table.columns);
  for (const auto& row : table.rows) {
    std::vector<std::string> texts;
    // Numbers for programs: all digits.
    for (const Value& value : row) {
      const auto* real = std::get_if<double>(&value);
      texts.push_back(real != nullptr ? fmt::format("{}", *real) : to_text(value));
    }
    out += plot::csv_line(texts);
  }
  return out;
}

std::string to_json(const Table& table) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& row : table.rows) {
    auto object = nlohmann::ordered_json::object();
    for (std::size_t c = 0; c < row.size(); ++c) {
      nlohmann::ordered_json& to = object[table.columns[c]];
      if (const auto* integer = std::get_if<std::int64_t>(&row[c])) to = *integer;
      if (const auto* real = std::get_if<double>(&row[c])) to = *real;
      if (const auto* text = std::get_if<std::string>(&row[c])) to = *text;
    }
    rows.push_back(std::move(object));
  }
  return rows.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Table table_of(const std::vector<RunRow>& rows, const std::vector<std::string>& columns) {
  Table table;
  table.columns = columns;
  std::vector<Expression> expressions;
  std::vector<std::string> names;
  for (const std::string& column : columns) {
    expressions.emplace_back(column);
    for (std::string& name : expressions.back().names()) names.push_back(std::move(name));
  }
  check_names(names, rows);
  for (const RunRow& row : rows) {
    std::vector<Value> values;
    values.reserve(expressions.size());
    for (const Expression& expression : expressions) values.push_back(evaluate(row, expression));
    table.rows.push_back(std::move(values));
  }
  return table;
}

void sort_rows(std::vector<RunRow>& rows, const std::string& by) {
  const bool down = by.starts_with('-');
  const Expression expression(down ? by.substr(1) : by);
  check_names(expression.names(), rows);
  std::stable_sort(rows.begin(), rows.end(), [&](const RunRow& a, const RunRow& b) {
    const Value left = evaluate(a, expression);
    const Value right = evaluate(b, expression);
    if (left.index() == 0 || right.index() == 0) return left.index() != 0 && right.index() == 0;
    const auto x = to_number(left);
    const auto y = to_number(right);
    if (x && y) return down ? *y < *x : *x < *y;
    return down ? to_text(right) < to_text(left) : to_text(left) < to_text(right);
  });
}

}  // namespace heddle::results
