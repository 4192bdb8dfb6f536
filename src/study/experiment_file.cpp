#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "study/experiment.h"
#include "study/experiment_runs.h"
#include "study/toml_reader.h"

namespace heddle::study {
namespace {

results::Expression expression(TomlTable& table, const std::string& key, const std::string& fallback) {
  const std::string text = table.text(key, fallback);
  try {
    return results::Expression(text);
  } catch (const UserError& error) {
    table.error(key, error.what());
    return results::Expression("0");
  }
}

Relative relative(TomlTable& table, Relative fallback) {
  if (!table.has("relative")) {
    (void)table.text("relative", "");
    return fallback;
  }
  const std::string text = table.text("relative");
  if (text == "none") return Relative::none;
  if (text == "baseline / design") return Relative::baseline_over_design;
  if (text == "design / baseline") return Relative::design_over_baseline;
  if (text == "design - baseline") return Relative::difference;
  table.error("relative", "must be \"baseline / design\", \"design / baseline\", \"design - baseline\" or \"none\"");
  return fallback;
}

void check_known(TomlTable& table, const std::string& key, const std::vector<std::string>& names,
                 const std::vector<std::string>& known) {
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      table.error(key, fmt::format("'{}' is not in this experiment (there are: {})", name, fmt::join(known, ", ")));
  }
}

Mean read_mean(TomlTable& table, Mean fallback) {
  const std::string text = table.text("mean", "");
  if (text.empty()) return fallback;
  for (const Mean mean : {Mean::arithmetic, Mean::geometric, Mean::back_to_back}) {
    if (text == to_string(mean)) return mean;
  }
  table.error("mean", "must be \"geometric\", \"arithmetic\" or \"back to back\"");
  return fallback;
}

/// Designs that x rises along; '|' joins those that may lie anyhow.
std::vector<std::vector<std::string>> read_order(TomlTable& table, const std::vector<std::string>& designs) {
  std::vector<std::vector<std::string>> groups;
  for (const std::string& text : table.texts("order")) {
    auto& group = groups.emplace_back(1);
    for (const char c : text) {
      if (c == '|') {
        group.emplace_back();
      } else {
        group.back() += c;
      }
    }
    for (std::string& name : group) {
      name.erase(0, name.find_first_not_of(' '));
      name.erase(name.find_last_not_of(' ') + 1);
    }
    check_known(table, "order", group, designs);
  }
  return groups;
}

/// over = one of the words, or names of workloads.
void read_over(TomlTable& table, const Experiment& experiment, Answer& answer) {
  static const std::map<std::string, Over> words{{"mean", Over::mean},
                                                 {"each", Over::each},
                                                 {"almost every", Over::almost_every},
                                                 {"most", Over::most},
                                                 {"most, not all", Over::most_not_all},
                                                 {"largest", Over::largest},
                                                 {"smallest", Over::smallest}};
  const std::vector<std::string> over = table.texts("over");
  if (over.empty()) return;
  const auto word = over.size() == 1 ? words.find(over[0]) : words.end();
  if (word != words.end()) {
    answer.over = word->second;
    return;
  }
  answer.over = Over::each;
  answer.workloads = over;
  check_known(table, "over", over, experiment.workloads);
}

/// highest = [...] or lowest = [...]: workloads that are compared with others. False if there is neither.
bool read_comparison(TomlTable& table, const Experiment& experiment, Answer& answer) {
  const std::vector<std::string> highest = table.texts("highest");
  const std::vector<std::string> lowest = table.texts("lowest");
  answer.others = table.texts("among");
  if (!table.has("highest") && !table.has("lowest")) {
    if (table.has("among")) table.error("among", "goes with highest or lowest only");
    return false;
  }
  const std::string key = table.has("highest") ? "highest" : "lowest";
  answer.over = key == "highest" ? Over::highest : Over::lowest;
  answer.workloads = key == "highest" ? highest : lowest;
  for (const char* other : {"over", "order", "value"}) {
    if (table.has(other)) table.error(other, fmt::format("does not go with {}, which compares workloads", key));
  }
  if (table.has("highest") && table.has("lowest")) table.error("lowest", "does not go with highest");
  check_known(table, key, answer.workloads, experiment.workloads);
  check_known(table, "among", answer.others, experiment.workloads);
  if (answer.others.empty()) answer.others = experiment.workloads;
  std::erase_if(answer.others, [&](const std::string& other) {
    return std::find(answer.workloads.begin(), answer.workloads.end(), other) != answer.workloads.end();
  });
  if (answer.others.empty()) table.error(key, "leaves no workload to compare with");
  if (answer.claim.relation != Relation::ordinal && !answer.claim.id.empty())
    table.error(key, fmt::format("'{}' is about a number, not about an order of workloads", answer.claim.id));
  return true;
}

/// Where the names under a key are.
void note_places(const TomlTable& table, const std::string& key, Experiment& experiment) {
  const toml::node* node = table.raw().get(key);
  if (node == nullptr) return;
  const auto note = [&](const toml::node& name) {
    if (const auto text = scalar_text(name)) experiment.places.try_emplace(*text, place_of(name));
  };
  note(*node);
  if (const toml::array* array = node->as_array()) {
    for (const toml::node& element : *array) note(element);
  }
}

Answer read_answer(TomlTable& table, const Experiment& experiment, const std::map<std::string, Claim>& claims) {
  Answer answer;
  const std::string id = table.text("claim");
  if (const auto found = claims.find(id); found != claims.end()) {
    answer.claim = found->second;
  } else {
    table.error("claim", fmt::format("there is no claim '{}' in the paper's claims", id));
  }
  answer.reading = table.text("reading", "");
  answer.order = read_order(table, experiment.designs);
  answer.design = answer.order.empty() ? table.text("design") : table.text("design", "");
  for (const std::string& text : table.texts("rises")) {
    try {
      answer.rises.emplace_back(text);
    } catch (const UserError& error) {
      table.error("rises", error.what());
    }
  }
  if (!answer.rises.empty() && (!answer.order.empty() || table.has("metric") || table.has("value")))
    table.error("rises", "stands instead of order, metric and value");
  read_over(table, experiment, answer);
  const bool compares = read_comparison(table, experiment, answer);
  if (!compares && answer.order.empty() && answer.rises.empty() && answer.claim.relation == Relation::ordinal &&
      claims.contains(id)) {
    table.error("claim", fmt::format("'{}' is about an order: say which with order = [designs], rises = [figures], or "
                                     "with highest or lowest = [workloads]",
                                     id));
  }
  if (!answer.order.empty() && (table.has("design") || table.has("value")))
    table.error("order", "stands instead of design and value");
  if (!answer.order.empty() && (answer.over == Over::largest || answer.over == Over::smallest))
    table.error("over", "an order is over the mean, over each workload, or over those named");
  if (!answer.design.empty()) check_known(table, "design", {answer.design}, experiment.designs);
  answer.metric = experiment.metric;
  if (table.has("metric")) answer.metric.of_run = expression(table, "metric", "");
  (void)table.text("metric", "");
  answer.metric.relative = relative(table, answer.rises.empty() ? experiment.metric.relative : Relative::none);
  answer.metric.baseline = table.text("against", experiment.metric.baseline);
  if (!answer.metric.baseline.empty()) check_known(table, "against", {answer.metric.baseline}, experiment.designs);
  if (answer.metric.relative != Relative::none && !answer.design.empty() && answer.design == answer.metric.baseline)
    table.error(table.has("against") ? "against" : "design",
                fmt::format("'{}' measured against itself proves nothing", answer.design));
  answer.metric.mean = read_mean(table, experiment.metric.mean);
  if (table.has("weight")) answer.metric.weight = expression(table, "weight", "");
  (void)table.text("weight", "");
  answer.value = expression(table, "value", "x");
  for (const std::string& name : answer.value.names()) {
    if (name != "x") table.error("value", fmt::format("'{}' is not known here: only x, the derived metric", name));
  }
  table.finish();
  return answer;
}

}  // namespace

Experiment parse_experiment(const std::string& text, const std::string& name,
                            const std::map<std::string, Claim>& claims) {
  const toml::table parsed = parse_toml(text, name);
  Diagnostics diagnostics(name);
  TomlTable file(parsed, "", diagnostics);
  Experiment experiment;
  experiment.file = name;
  for (const char* key : {"gpu", "workloads", "programs", "designs", "alone", "metric", "weight"})
    note_places(file, key, experiment);
  experiment.figure = std::filesystem::path(name).stem().string();
  experiment.paper = std::filesystem::path(name).parent_path().filename().string();
  experiment.title = file.text("title");
  experiment.chapter = static_cast<int>(file.integer("chapter", 0, 0, 1000));
  experiment.gpu = file.text("gpu");
  experiment.size = file.text("size", "small");
  experiment.seeds = file.texts("seeds");
  if (experiment.seeds.empty()) experiment.seeds = {"1"};
  experiment.footprint = file.text("footprint", "");
  experiment.alone = file.text("alone", "");
  experiment.splits = file.texts("splits");
  if (experiment.alone.empty() && !experiment.splits.empty()) file.error("splits", "goes with alone only");
  if (!experiment.alone.empty() && experiment.splits.empty()) experiment.splits = {"even"};
  experiment.workloads = file.texts("workloads");
  experiment.programs = file.texts("programs");
  experiment.reads = file.texts("reads");
  if (!experiment.reads.empty() && experiment.programs.empty())
    file.error("reads", "goes with programs only: workloads read no files");
  experiment.workloads.insert(experiment.workloads.end(), experiment.programs.begin(), experiment.programs.end());
  if (!experiment.programs.empty() && !experiment.alone.empty())
    file.error("programs", "do not go with alone: a compiled program has the GPU for itself");
  experiment.changes = file.texts("set");
  for (const std::string& change : experiment.changes) {
    if (change.find('=') == std::string::npos) file.error("set", fmt::format("'{}' is not PATH=VALUE", change));
  }
  read_runs(file, experiment);
  experiment.designs = file.texts("designs");
  if (experiment.workloads.empty()) file.error("workloads", "is missing");
  if (experiment.designs.empty()) file.error("designs", "is missing");
  experiment.shows = file.text("shows");
  experiment.metric.mean = read_mean(file, Mean::geometric);
  experiment.metric.weight = expression(file, "weight", "cycles");
  experiment.metric.of_run = expression(file, "metric", "cycles");
  experiment.metric.relative = relative(file, Relative::baseline_over_design);
  experiment.metric.baseline = file.text("baseline", "");
  if (!experiment.metric.baseline.empty())
    check_known(file, "baseline", {experiment.metric.baseline}, experiment.designs);
  if (experiment.metric.baseline.empty() && experiment.metric.relative != Relative::none)
    file.error("baseline", "is missing: which design others are measured against (or relative = \"none\")");
  for (const toml::table* table : file.tables("answer")) {
    TomlTable entry(*table, "answer", diagnostics);
    for (const char* key : {"metric", "weight", "rises"}) note_places(entry, key, experiment);
    experiment.answers.push_back(read_answer(entry, experiment, claims));
  }
  file.finish();
  diagnostics.throw_if_errors();
  return experiment;
}

Experiment read_experiment(const std::string& path, const std::map<std::string, Claim>& claims) {
  return parse_experiment(read_file(path), path, claims);
}

}  // namespace heddle::study
