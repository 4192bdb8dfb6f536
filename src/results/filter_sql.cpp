// What the database can say of a condition, so that runs that do not fit are not even read.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "results/filter.h"

namespace heddle::results {
namespace {

constexpr std::array kTextColumns{"identity", "status", "started", "ended", "workload", "size", "mode",
                                  "gpu",      "design", "version", "host",  "detail",   "note"};
constexpr std::array kNumberColumns{
    "id",          "elements", "seed", "threads", "launches", "cycles", "warp_instructions", "thread_instructions",
    "host_seconds"};

template <typename Names>
bool is_in(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// A statistic or parameter as the database has it.
std::string json_value(const std::string& name) {
  return fmt::format("COALESCE(json_extract(r.statistics, '{0}'), json_extract(c.parameters, '{0}'))", json_path(name));
}

/// A figure as a number; empty: only the program knows it.
std::string number_sql(const std::string& name) {
  const auto ratio = [](const char* above, const char* below) {
    return fmt::format("({} / NULLIF({}, 0.0))", number_sql(above), number_sql(below));
  };
  if (name == "changes" || name == "tags") return "";
  if (name == "seconds")
    return fmt::format("({} / NULLIF({} * 1e6, 0.0))", number_sql("cycles"), number_sql("core_mhz"));
  if (name == "ipc") return ratio("warp_instructions", "cycles");
  if (name == "thread_ipc") return ratio("thread_instructions", "cycles");
  if (name == "speed") return ratio("warp_instructions", "host_seconds");
  if (is_in(kTextColumns, name) || is_in(kNumberColumns, name)) return fmt::format("CAST(r.{} AS REAL)", name);
  return fmt::format("CAST({} AS REAL)", json_value(name));
}

/// A figure as a text; empty: only the program knows it.
std::string text_sql(const std::string& name) {
  if (is_in(kTextColumns, name)) return fmt::format("COALESCE(r.{}, '')", name);
  const bool is_field = is_in(field_names(), name);
  // How numbers are written the program decides; parameters are texts.
  if (is_field || name.starts_with("gpu.") || name.starts_with("energy.") || name.starts_with("area.")) return "";
  return fmt::format("COALESCE(CAST({} AS TEXT), '')", json_value(name));
}

/// What '*' alone does not mean to the database.
bool has_other_wildcards(const std::string& pattern) { return pattern.find_first_of("?[") != std::string::npos; }

/// The database's arithmetic may differ in the last digit.
double margin(double value) { return std::abs(value) * 1e-9; }

std::optional<SqlCondition> tags_sql(const std::string& pattern, bool equal) {
  if (pattern.empty() || has_other_wildcards(pattern)) return std::nullopt;
  return SqlCondition{
      fmt::format("{}EXISTS (SELECT 1 FROM tags t WHERE t.run = r.id AND t.tag GLOB ?)", equal ? "" : "NOT "),
      {pattern}};
}

std::optional<SqlCondition> text_condition(const std::string& name, const std::string& pattern, bool equal) {
  const std::string text = text_sql(name);
  if (text.empty() || has_other_wildcards(pattern)) return std::nullopt;
  return SqlCondition{fmt::format("{} {} ?", text, equal ? "GLOB" : "NOT GLOB"), {pattern}};
}

std::optional<SqlCondition> number_condition(const std::string& sql, const std::string& operation, double wanted) {
  if (operation == "=")
    return SqlCondition{fmt::format("{} BETWEEN ? AND ?", sql), {wanted - margin(wanted), wanted + margin(wanted)}};
  const bool below = operation[0] == '<';
  return SqlCondition{fmt::format("{} {} ?", sql, below ? "<=" : ">="),
                      {below ? wanted + margin(wanted) : wanted - margin(wanted)}};
}

}  // namespace

std::string json_path(const std::string& name) { return fmt::format("$.\"{}\"", name); }

std::optional<SqlCondition> Filter::sql() const {
  const std::optional<std::string> name = left_.single_name();
  const std::optional<double> wanted = parse_number(right_);
  if (name == "tags") return tags_sql(right_, operator_ == "=");
  if (!wanted) return name ? text_condition(*name, right_, operator_ == "=") : std::nullopt;
  if (operator_ == "!=" || !std::isfinite(*wanted)) return std::nullopt;
  const std::string number = left_.sql(number_sql);
  if (number.empty()) return std::nullopt;
  std::optional<SqlCondition> condition = number_condition(number, operator_, *wanted);
  // A text that is no number is compared as it is.
  if (operator_ == "=" && name && !is_in(kNumberColumns, *name)) {
    const auto text = text_condition(*name, right_, true);
    if (!text) return is_in(field_names(), *name) || name->starts_with("gpu.") ? condition : std::nullopt;
    condition->text = fmt::format("({} OR {})", condition->text, text->text);
    condition->values.insert(condition->values.end(), text->values.begin(), text->values.end());
  }
  return condition;
}

}  // namespace heddle::results
