#include "study/experiment_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "study/window.h"

namespace heddle::study {
namespace {

bool has_workload(const Experiment& experiment, std::string_view name) {
  return std::find(experiment.workloads.begin(), experiment.workloads.end(), name) != experiment.workloads.end();
}

void complain(TomlTable& file, const toml::node& node, const std::string& message) {
  file.diagnostics().error(place_of(node), message);
}

bool is_workload(TomlTable& file, const Experiment& experiment, const std::string& table, const toml::key& key,
                 const toml::node& node) {
  if (has_workload(experiment, key.str())) return true;
  complain(file, node,
           fmt::format("{}.{}: is no workload that is run here (there are: {})", table, key.str(),
                       fmt::join(experiment.workloads, ", ")));
  return false;
}

void read_texts(TomlTable& file, const Experiment& experiment, const std::string& name,
                std::map<std::string, std::string>& values) {
  const toml::table* table = file.table(name);
  if (table == nullptr) return;
  for (const auto& [key, node] : *table) {
    if (!is_workload(file, experiment, name, key, node)) continue;
    const auto text = scalar_text(node);
    if (!text) complain(file, node, fmt::format("{}.{}: must be a name or a number", name, key.str()));
    if (text) values[std::string(key.str())] = *text;
  }
}

void read_windows(TomlTable& file, Experiment& experiment) {
  const toml::table* windows = file.table("windows");
  if (windows == nullptr) return;
  for (const auto& [key, node] : *windows) {
    if (!is_workload(file, experiment, "windows", key, node)) continue;
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      complain(file, node, fmt::format("windows.{}: must be a table", key.str()));
      continue;
    }
    TomlTable entry(*table, fmt::format("windows.{}", key.str()), file.diagnostics());
    const Window window = read_window(entry);
    entry.finish();
    experiment.windows[std::string(key.str())] = window;
  }
}

void read_variants(TomlTable& file, Experiment& experiment) {
  for (const toml::table* table : file.tables("variant")) {
    TomlTable entry(*table, "variant", file.diagnostics());
    const std::string name = entry.text("name");
    Variant variant;
    variant.design = entry.text("design");
    variant.changes = entry.texts("set");
    for (const std::string& change : variant.changes) {
      if (change.find('=') == std::string::npos) entry.error("set", fmt::format("'{}' is not PATH=VALUE", change));
    }
    entry.finish();
    if (!experiment.variants.emplace(name, variant).second)
      entry.error("name", fmt::format("'{}' is there twice", name));
  }
}

}  // namespace

void read_inputs(TomlTable& file, Experiment& experiment) {
  read_texts(file, experiment, "sizes", experiment.sizes);
  read_texts(file, experiment, "inputs", experiment.inputs);
  read_windows(file, experiment);
}

void read_runs(TomlTable& file, Experiment& experiment) {
  read_inputs(file, experiment);
  read_variants(file, experiment);
}

std::vector<std::pair<Key, Point>> points_of(const Experiment& experiment) {
  std::vector<std::pair<Key, Point>> points;
  for (const std::string& workload : experiment.workloads) {
    for (const std::string& design : experiment.designs) {
      for (const std::string& seed : experiment.seeds) {
        Point point;
        point.workload = workload;
        if (experiment.is_program(workload)) {
          point.program = workload;
          point.reads = experiment.reads;
        }
        point.size = experiment.size_of(workload);
        std::from_chars(seed.data(), seed.data() + seed.size(), point.seed);
        if (const auto input = experiment.inputs.find(workload); input != experiment.inputs.end())
          point.input = input->second;
        if (const auto window = experiment.windows.find(workload); window != experiment.windows.end())
          point.window = window->second;
        point.gpu = experiment.gpu;
        point.design = design;
        point.changes = experiment.changes;
        if (const auto variant = experiment.variants.find(design); variant != experiment.variants.end()) {
          point.design = variant->second.design;
          point.changes.insert(point.changes.end(), variant->second.changes.begin(), variant->second.changes.end());
        }
        points.emplace_back(Key{workload, design, seed}, point);
      }
    }
  }
  return points;
}

}  // namespace heddle::study
