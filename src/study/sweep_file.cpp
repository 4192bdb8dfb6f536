#include "study/sweep_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "results/filter.h"
#include "study/toml_reader.h"
#include "study/window.h"

namespace heddle::study {
namespace {

struct Axis {
  std::string key;  ///< workload, size, ..., or the path of a parameter
  std::vector<std::string> values;
};

/// Parameters as axes; tables inside are groups, so that sm.l1.kib may be written with or without quotes.
void read_parameters(const toml::table& table, const std::string& prefix, Diagnostics& diagnostics,
                     std::vector<Axis>& axes) {
  for (const auto& [key, node] : table) {
    const std::string path = prefix.empty() ? std::string(key.str()) : prefix + "." + std::string(key.str());
    if (const toml::table* inner = node.as_table()) {
      read_parameters(*inner, path, diagnostics, axes);
      continue;
    }
    Axis axis{path, {}};
    if (const auto one = scalar_text(node)) axis.values.push_back(*one);
    if (const toml::array* array = node.as_array()) {
      for (const toml::node& element : *array) {
        if (const auto text = scalar_text(element)) {
          axis.values.push_back(*text);
        } else {
          diagnostics.error(place_of(element), fmt::format("{}: must hold values only", path));
        }
      }
    }
    if (axis.values.empty())
      diagnostics.error(place_of(node), fmt::format("{}: must be a value or an array of values", path));
    axes.push_back(std::move(axis));
  }
}

/// What one run is, by axis.
using Choice = std::map<std::string, std::string>;

/// Flattens the keys of an [[exclude]].
void read_pattern(const toml::table& table, const std::string& prefix, const std::vector<Axis>& axes,
                  Diagnostics& diagnostics, std::map<std::string, std::vector<std::string>>& pattern) {
  for (const auto& [key, node] : table) {
    const std::string path = prefix.empty() ? std::string(key.str()) : prefix + "." + std::string(key.str());
    if (const toml::table* inner = node.as_table()) {
      read_pattern(*inner, path, axes, diagnostics, pattern);
      continue;
    }
    if (std::none_of(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.key == path; })) {
      std::string known;
      for (const Axis& axis : axes) known += (known.empty() ? "" : ", ") + axis.key;
      diagnostics.error(place_of(node),
                        fmt::format("exclude.{}: is no axis of this sweep (those are: {})", path, known));
    }
    if (const auto one = scalar_text(node)) pattern[path].push_back(*one);
    if (const toml::array* array = node.as_array()) {
      for (const toml::node& element : *array) {
        if (const auto text = scalar_text(element)) pattern[path].push_back(*text);
      }
    }
    if (pattern[path].empty())
      diagnostics.error(place_of(node), fmt::format("exclude.{}: must be a value or an array of values", path));
  }
}

bool excluded(const Choice& choice, const std::map<std::string, std::vector<std::string>>& pattern) {
  return std::all_of(pattern.begin(), pattern.end(), [&](const auto& one) {
    const auto at = choice.find(one.first);
    return at != choice.end() && std::find(one.second.begin(), one.second.end(), at->second) != one.second.end();
  });
}

results::RunRow as_row(const Choice& choice) {
  results::RunRow row;
  for (const auto& [key, value] : choice) row.fields[key] = value;
  return row;
}

constexpr std::size_t kSizeAxis = 1;
constexpr std::size_t kSeedAxis = 2;
constexpr std::size_t kInputAxis = 3;

/// Whether a program has had this run: it does not depend on an axis that its line does not name.
bool repeats(const std::string& line, const std::vector<std::size_t>& digits) {
  return (digits[kSizeAxis] != 0 && line.find("{size}") == std::string::npos) ||
         (digits[kSeedAxis] != 0 && line.find("{seed}") == std::string::npos) || digits[kInputAxis] != 0;
}

/// The line of a program, or the name of a file that it reads, with what {size} and {seed} stand for.
std::string with_values(std::string line, const Choice& choice) {
  for (const char* axis : {"size", "seed"}) {
    const std::string place = fmt::format("{{{}}}", axis);
    for (std::size_t at = line.find(place); at != std::string::npos; at = line.find(place))
      line.replace(at, place.size(), choice.at(axis));
  }
  return line;
}

Point make_point(const Choice& choice, const std::vector<Axis>& axes, std::size_t first_parameter) {
  Point point;
  point.workload = choice.at("workload");
  point.size = choice.at("size");
  const std::string& seed = choice.at("seed");
  std::from_chars(seed.data(), seed.data() + seed.size(), point.seed);
  point.input = choice.at("input");
  point.gpu = choice.at("gpu");
  point.design = choice.at("design");
  for (std::size_t a = first_parameter; a < axes.size(); ++a)
    point.changes.push_back(axes[a].key + "=" + choice.at(axes[a].key));
  return point;
}

}  // namespace

Sweep parse_sweep(const std::string& text, const std::string& name) {
  const toml::table parsed = parse_toml(text, name);
  Diagnostics diagnostics(name);
  TomlTable file(parsed, "", diagnostics);
  Sweep sweep;
  sweep.name = std::filesystem::path(name).stem().string();
  sweep.description = file.text("description", "");
  const auto or_else = [](const std::vector<std::string>& values, const char* fallback) {
    return values.empty() ? std::vector<std::string>{fallback} : values;
  };
  const std::vector<std::string> programs = file.texts("programs");
  std::vector<Axis> axes{{"workload", file.texts("workloads")},
                         {"size", or_else(file.texts("sizes"), "small")},
                         {"seed", or_else(file.texts("seeds"), "1")},
                         {"input", or_else(file.texts("inputs"), "")},
                         {"gpu", or_else(file.texts("gpus"), "fermi-gtx480")},
                         {"design", or_else(file.texts("designs"), "")}};
  const std::vector<std::string> reads = file.texts("reads");
  if (!reads.empty() && programs.empty()) file.error("reads", "goes with programs only: workloads read no files");
  if (!file.has("workloads") && !file.has("programs"))
    file.error("workloads", "is missing: which workloads to run, or which programs");
  axes[0].values.insert(axes[0].values.end(), programs.begin(), programs.end());
  for (const std::string& seed : axes[2].values) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(seed.data(), seed.data() + seed.size(), value);
    if (error != std::errc() || end != seed.data() + seed.size())
      file.error("seeds", fmt::format("'{}' is not a whole number", seed));
  }
  const Window window = read_window(file);
  const std::size_t first_parameter = axes.size();
  const auto threads = static_cast<unsigned>(file.integer("threads", 1, 1, 256));
  const bool functional = file.flag("functional", false);
  if (const toml::table* parameters = file.table("parameters")) read_parameters(*parameters, "", diagnostics, axes);
  if (functional && (axes.size() > first_parameter || file.has("designs") || file.has("gpus")))
    file.error("functional", "a functional run has no GPU: leave out gpus, designs and parameters");
  std::vector<std::map<std::string, std::vector<std::string>>> patterns;
  for (const toml::table* table : file.tables("exclude"))
    read_pattern(*table, "", axes, diagnostics, patterns.emplace_back());
  std::vector<results::Filter> conditions;
  for (const std::string& condition : file.texts("require")) {
    try {
      conditions.emplace_back(condition);
    } catch (const UserError& error) {
      file.error("require", error.what());
    }
  }
  file.finish();
  std::size_t count = 1;
  for (const Axis& axis : axes) count = std::min(kMostPoints + 1, count * std::max<std::size_t>(1, axis.values.size()));
  if (count > kMostPoints)
    diagnostics.error({1, 1}, fmt::format("the axes span more than {} runs: split the sweep", kMostPoints));
  diagnostics.throw_if_errors();

  // The last axis turns fastest, as the digits of a number.
  std::vector<std::size_t> digits(axes.size(), 0);
  for (std::size_t n = 0; n < count; ++n) {
    Choice choice;
    for (std::size_t a = 0; a < axes.size(); ++a) choice[axes[a].key] = axes[a].values[digits[a]];
    const bool out = std::any_of(patterns.begin(), patterns.end(), [&](const auto& p) { return excluded(choice, p); });
    const results::RunRow row = as_row(choice);
    const bool is_program = std::find(programs.begin(), programs.end(), choice["workload"]) != programs.end();
    const bool again = is_program && repeats(choice["workload"], digits);
    if (!out && !again &&
        std::all_of(conditions.begin(), conditions.end(), [&](const auto& c) { return c.matches(row); })) {
      Point point = make_point(choice, axes, first_parameter);
      point.threads = threads;
      point.functional = functional;
      point.window = window;
      if (is_program) point.program = with_values(choice["workload"], choice);
      for (const std::string& read : reads) {
        if (is_program) point.reads.push_back(with_values(read, choice));
      }
      sweep.points.push_back(std::move(point));
    }
    for (std::size_t a = axes.size(); a-- > 0;) {
      if (++digits[a] < axes[a].values.size()) break;
      digits[a] = 0;
    }
  }
  if (sweep.points.empty()) throw UserError(fmt::format("{}: exclude and require leave no run", name));
  return sweep;
}

Sweep read_sweep(const std::string& path) { return parse_sweep(read_file(path), path); }

std::string to_json(const std::vector<Point>& points) {
  auto all = nlohmann::json::array();
  for (const Point& p : points) {
    all.push_back({{"program", p.program},
                   {"reads", p.reads},
                   {"workload", p.workload},
                   {"size", p.size},
                   {"seed", p.seed},
                   {"input", p.input},
                   {"start_kernel", p.window.start_kernel},
                   {"skip", p.window.skip},
                   {"warmup", p.window.warmup},
                   {"window", p.window.window},
                   {"kernels", p.window.kernels},
                   {"gpu", p.gpu},
                   {"design", p.design},
                   {"changes", p.changes},
                   {"threads", p.threads},
                   {"functional", p.functional}});
  }
  return all.dump(1);
}

std::vector<Point> points_from_json(const std::string& text) {
  std::vector<Point> points;
  for (const nlohmann::json& j : nlohmann::json::parse(text)) {
    Point p;
    p.program = j.at("program");
    p.reads = j.at("reads").get<std::vector<std::string>>();
    p.workload = j.at("workload");
    p.size = j.at("size");
    p.seed = j.at("seed");
    p.input = j.at("input");
    p.window.start_kernel = j.at("start_kernel");
    p.window.skip = j.at("skip");
    p.window.warmup = j.at("warmup");
    p.window.window = j.at("window");
    p.window.kernels = j.at("kernels");
    p.gpu = j.at("gpu");
    p.design = j.at("design");
    p.changes = j.at("changes").get<std::vector<std::string>>();
    p.threads = j.at("threads");
    p.functional = j.at("functional");
    points.push_back(std::move(p));
  }
  return points;
}

}  // namespace heddle::study
