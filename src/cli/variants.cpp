#include "cli/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace heddle::cli {
namespace {

/// Keys whose values speak for themselves.
bool is_plain(const std::string& key) { return key == "gpu" || key == "design"; }

std::string value_or_none(const results::RunRow& run, const std::string& key) {
  std::string value = results::to_text(run.get(key));
  return value.empty() ? "none" : value;
}

/// A program has no size.
bool applies(const results::RunRow& run, const std::string& key) {
  return key != "size" || !results::to_text(run.get(key)).empty();
}

/// A run that the database has under the names that this sweep gives it: it may have been made by another command,
/// which said the same with other words.
results::RunRow as_planned(results::RunRow row, const RunRequest& asked) {
  row.fields["gpu"] = asked.machine.gpu;
  row.fields["design"] = asked.machine.design;
  row.fields["size"] = asked.size;
  if (!asked.program.empty()) {  // its arguments are part of its name, not a size
    row.fields["workload"] = asked.program;
    row.fields["size"] = "";
  }
  row.fields["changes"] = fmt::format("{}", fmt::join(asked.machine.changes, " "));
  return row;
}

}  // namespace

std::vector<std::string> varying_keys(const std::vector<results::RunRow>& runs) {
  std::vector<std::string> keys{"gpu", "design", "size", "input"};
  for (const auto& [path, value] : runs[0].configuration) {
    // A GPU's or design's own parameters vary with its name; only what was set counts.
    if (path == "input") continue;
    const bool set = std::any_of(runs.begin(), runs.end(), [&path = path](const results::RunRow& run) {
      return (" " + results::to_text(run.get("changes"))).find(" " + path + "=") != std::string::npos;
    });
    if (set) keys.push_back(path);
  }
  std::erase_if(keys, [&](const std::string& key) {
    std::set<results::Value> values;
    for (const results::RunRow& run : runs) values.insert(run.get(key));
    if (key == "size") values.erase(std::string());  // of programs
    return values.size() < 2;
  });
  return keys;
}

std::string variant_name(const results::RunRow& run, const std::vector<std::string>& keys) {
  std::string name;
  for (const std::string& key : keys) {
    if (!applies(run, key)) continue;
    name += fmt::format("{}{}{}", name.empty() ? "" : " ", is_plain(key) ? "" : key + "=", value_or_none(run, key));
  }
  return name.empty() ? "all" : name;
}

std::string short_variant_name(const results::RunRow& run, const std::vector<std::string>& keys) {
  std::string name;
  for (const std::string& key : keys) {
    if (applies(run, key)) name += (name.empty() ? "" : ", ") + value_or_none(run, key);
  }
  return name.empty() ? "all" : name;
}

std::string legend_of(const std::vector<std::string>& keys) {
  if (std::all_of(keys.begin(), keys.end(), is_plain)) return "";
  return fmt::format("{}", fmt::join(keys, ", "));
}

SweepRuns sweep_runs(const std::string& file, const results::Database& database) {
  SweepRuns runs;
  runs.sweep = study::read_sweep(file);
  const std::vector<PlannedRun> planned = plan(runs.sweep.points);
  runs.planned = planned.size();
  std::set<std::string> identities;
  for (const PlannedRun& run : planned) identities.insert(run.identity);
  const auto found = results::passed_runs(database, identities);
  if (found.empty()) throw UserError(fmt::format("no run of this sweep is in the database: heddle sweep {}", file));
  for (const PlannedRun& run : planned) {
    if (const auto row = found.find(run.identity); row != found.end())
      runs.rows.push_back(as_planned(row->second, run.request));
  }
  return runs;
}

}  // namespace heddle::cli
