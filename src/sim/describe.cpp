// Printing parameters and statistics, for people and as JSON.
#include <fmt/format.h>

#include <cmath>

#include "base/diagnostics.h"
#include "base/suggestion.h"
#include "sim/configuration.h"

namespace heddle::sim {

namespace {

/// Whether `path` is `prefix` or below it. Instance numbers may be left out of the prefix.
bool covers(std::string_view prefix, std::string_view path) {
  if (prefix.empty()) return true;
  std::size_t at = 0;
  for (const char c : prefix) {
    if (at < path.size() && path[at] == '[' && c != '[') {
      const std::size_t close = path.find(']', at);
      at = close == std::string_view::npos ? path.size() : close + 1;
    }
    if (at >= path.size() || path[at] != c) return false;
    ++at;
  }
  return at == path.size() || path[at] == '.' || path[at] == '[';
}

struct Output {
  std::string text;
  std::vector<std::string> paths;  // everything there is, for the message when nothing was meant

  [[nodiscard]] std::string result(std::string_view prefix) const {
    if (!text.empty() || prefix.empty()) return text;
    const std::string meant = nearest(prefix, paths);
    throw UserError(fmt::format("there is no '{}'{}", prefix, meant.empty() ? "" : "; did you mean '" + meant + "'?"));
  }
};

void describe_into(Output& out, const ParameterGroup& group, std::string_view prefix) {
  const std::string path = group.path();
  out.paths.push_back(path);
  if (!group.parameters().empty() && !group.description().empty() && covers(prefix, path))
    out.text += fmt::format("# {}: {}\n", path, group.description());
  for (const ParameterBase* parameter : group.parameters()) {
    const std::string full = path.empty() ? parameter->key() : path + "." + parameter->key();
    out.paths.push_back(full);
    if (!covers(prefix, full)) continue;
    const std::string unit = parameter->unit().empty() ? "" : " " + parameter->unit();
    out.text += fmt::format("{} = {}{}  (default {}; {})\n    {}\n", full, to_string(parameter->value()), unit,
                            to_string(parameter->default_value()), parameter->allowed(), parameter->description());
  }
  for (const ParameterGroup* child : group.groups()) describe_into(out, *child, prefix);
}

void describe_into(Output& out, const StatisticGroup& group, std::string_view prefix) {
  const std::string path = group.path();
  out.paths.push_back(path);
  const auto line = [&](const auto& statistic, const std::string& value) {
    const std::string full = path.empty() ? statistic.name() : path + "." + statistic.name();
    out.paths.push_back(full);
    if (covers(prefix, full))
      out.text += fmt::format("{} = {}  # {}; {}\n", full, value, statistic.unit(), statistic.description());
  };
  for (const Counter* counter : group.counters()) line(*counter, std::to_string(counter->value()));
  for (const Formula* formula : group.formulas()) line(*formula, fmt::format("{:.6g}", formula->value()));
  for (const StatisticGroup* child : group.groups()) describe_into(out, *child, prefix);
}

std::string json_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out + '"';
}

void write_group(std::ostream& out, const StatisticGroup& group, std::size_t depth) {
  const std::string indent(2 * depth + 2, ' ');
  const char* separator = "\n";
  const auto key = [&](const std::string& name) {
    out << separator << indent << json_string(name) << ": ";
    separator = ",\n";
  };
  out << '{';
  for (const Counter* counter : group.counters()) {
    key(counter->name());
    out << counter->value();
  }
  for (const Formula* formula : group.formulas()) {
    key(formula->name());
    const double value = formula->value();
    out << (std::isfinite(value) ? fmt::format("{}", value) : "null");
  }
  for (const StatisticGroup* child : group.groups()) {
    key(child->name());
    write_group(out, *child, depth + 1);
  }
  out << '\n' << std::string(2 * depth, ' ') << '}';
}

}  // namespace

std::string describe(const ParameterGroup& root, std::string_view path_prefix) {
  Output out;
  describe_into(out, root, path_prefix);
  return out.result(path_prefix);
}

std::string describe(const StatisticGroup& root, std::string_view path_prefix) {
  Output out;
  describe_into(out, root, path_prefix);
  return out.result(path_prefix);
}

void write_json(std::ostream& out, const StatisticGroup& root, const std::map<std::string, std::string>& notes) {
  // Keys from the outermost on are a statistic's path, as the database and `heddle stats` have it.
  out << "{\n";
  for (const auto& [name, text] : notes) out << "  " << json_string(name) << ": " << json_string(text) << ",\n";
  out << "  " << json_string(root.name()) << ": ";
  write_group(out, root, 1);
  out << "\n}\n";
}

}  // namespace heddle::sim
