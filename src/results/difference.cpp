#include "results/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heddle::results {
namespace {

/// A counter below this share of the larger total of its kind is noise in a list sorted by relative change.
constexpr double kSmallest = 10;

double relative_change(const Value& a, const Value& b) {
  const auto x = to_number(a);
  const auto y = to_number(b);
  if (!x || !y || *x == 0) return 0;
  return (*y - *x) / *x;
}

std::string line(const Change& change) {
  std::string text =
      fmt::format("  {:<36} {:>14} -> {:<14}", change.name, change.a.index() == 0 ? "none" : to_text(change.a),
                  change.b.index() == 0 ? "none" : to_text(change.b));
  if (change.relative != 0) text += fmt::format(" {:+.2f} %", change.relative * 100);
  while (text.back() == ' ') text.pop_back();
  return text + "\n";
}

}  // namespace

Difference difference(const RunRow& a, const RunRow& b) {
  Difference found;
  for (const char* name : {"workload", "elements", "seed", "mode", "version"}) {
    if (a.get(name) != b.get(name)) found.asked.push_back({name, a.get(name), b.get(name), 0});
  }
  std::map<std::string, int> paths;
  for (const auto& [path, value] : a.configuration) paths[path] = 0;
  for (const auto& [path, value] : b.configuration) paths[path] = 0;
  for (const auto& entry : paths) {
    const std::string& path = entry.first;
    const auto of = [&](const RunRow& run) {
      const auto at = run.configuration.find(path);
      return at == run.configuration.end() ? Value() : Value(at->second);
    };
    if (of(a) != of(b)) found.asked.push_back({path, of(a), of(b), 0});
  }
  for (const char* name :
       {"status", "detail", "launches", "cycles", "seconds", "warp_instructions", "thread_instructions", "ipc"}) {
    const Value x = a.get(name);
    const Value y = b.get(name);
    if (x != y) found.outcome.push_back({name, x, y, relative_change(x, y)});
  }
  for (const auto& [path, value] : b.statistics) paths[path] = 1;
  for (const auto& [path, value] : a.statistics) paths[path] = 1;
  for (const auto& entry : paths) {
    if (entry.second == 0) continue;
    const std::string& path = entry.first;
    const auto of = [&](const RunRow& run) {
      const auto at = run.statistics.find(path);
      return at == run.statistics.end() ? Value() : Value(at->second);
    };
    const Value x = of(a);
    const Value y = of(b);
    if (x != y) found.statistics.push_back({path, x, y, relative_change(x, y)});
  }
  const auto weight = [](const Change& change) {
    const double x = to_number(change.a).value_or(0);
    const double y = to_number(change.b).value_or(0);
    const double most = std::max(std::abs(x), std::abs(y));
    return most < kSmallest ? 0.0 : std::abs(y - x) / most;
  };
  std::stable_sort(found.statistics.begin(), found.statistics.end(),
                   [&](const Change& x, const Change& y) { return weight(x) > weight(y); });
  return found;
}

std::string to_text(const Difference& difference, const RunRow& a, const RunRow& b, std::size_t most) {
  const auto title = [](const RunRow& run) {
    std::string text = fmt::format("run {}: {} {} seed {} on {}", run.id, to_text(run.get("workload")),
                                   to_text(run.get("size")), to_text(run.get("seed")), to_text(run.get("gpu")));
    if (!to_text(run.get("design")).empty()) text += " with " + to_text(run.get("design"));
    return text + "\n";
  };
  std::string out = "A  " + title(a) + "B  " + title(b);
  if (difference.asked.empty()) {
    out += "\nasked for: the same\n";
  } else {
    out += "\nasked for\n";
    for (const Change& change : difference.asked) out += line(change);
  }
  if (difference.outcome.empty() && difference.statistics.empty())
    return out + "\noutcome: the same in every counter\n";
  out += "\noutcome\n";
  for (const Change& change : difference.outcome) out += line(change);
  const std::size_t shown = std::min(most, difference.statistics.size());
  if (shown != 0)
    out +=
        fmt::format("\nstatistics that differ, largest change first ({} of {})\n", shown, difference.statistics.size());
  for (std::size_t i = 0; i < shown; ++i) out += line(difference.statistics[i]);
  return out;
}

}  // namespace heddle::results
