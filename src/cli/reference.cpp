#include "cli/reference.h"

#include <fmt/format.h>

#include <map>

#include "cli/commands.h"
#include "cli/first_runs.h"
#include "cli/sharing_metrics.h"
#include "gpu/gpu.h"
#include "session/machine.h"

namespace heddle::cli {
namespace {

constexpr const char* kReferenceGpu = "fermi-gtx480";

/// In a cell of a table.
std::string in_cell(const std::string& text) {
  std::string safe;
  for (const char c : text) safe += c == '|' ? std::string("\\|") : std::string(1, c);
  return safe;
}

void add_parameters(std::string& page, const sim::ParameterGroup& group) {
  const std::string path = group.path();
  if (!group.parameters().empty()) {
    page += fmt::format("\n## {}\n\n", path.empty() ? "The whole GPU" : "`" + path + "`");
    if (!group.description().empty()) page += group.description() + "\n\n";
    page += "| parameter | default | allowed | unit | meaning |\n|---|---|---|---|---|\n";
    for (const sim::ParameterBase* parameter : group.parameters()) {
      const std::string full = path.empty() ? parameter->key() : path + "." + parameter->key();
      page += fmt::format("| `{}` | {} | {} | {} | {} |\n", full, in_cell(sim::to_string(parameter->default_value())),
                          in_cell(parameter->allowed()), parameter->unit(), in_cell(parameter->description()));
    }
  }
  for (const sim::ParameterGroup* child : group.groups()) add_parameters(page, *child);
}

struct StatisticInfo {
  std::string unit;
  std::string description;
  bool divisible = false;  ///< counted for each of several applications as well
};
using StatisticInfos = std::map<std::string, std::map<std::string, StatisticInfo>>;  // by group and name

void add_statistics(StatisticInfos& to, const sim::StatisticGroup& group) {
  auto& mine = to[sim::without_instances(group.path())];
  for (const sim::Counter* counter : group.counters())
    mine[counter->name()] = {counter->unit(), counter->description()};
  for (const sim::Formula* formula : group.formulas())
    mine[formula->name()] = {formula->unit(), formula->description()};
  for (const sim::ApplicationCounter* counter : group.divisible()) mine[counter->name()].divisible = true;
  for (const sim::StatisticGroup* child : group.groups()) add_statistics(to, *child);
}

/// What this machine counts; nothing if its parts do not go together.
void add_machine(StatisticInfos& to, const std::string& gpu, const std::string& design,
                 const std::vector<std::string>& changes) {
  // One SM and one partition show every statistic there is.
  std::vector<std::string> all{"sms=1", "memory.partitions=1"};
  all.insert(all.end(), changes.begin(), changes.end());
  try {
    const auto parameters = load_gpu(gpu, design, all);
    gpu::Gpu machine(*parameters, 1);
    add_statistics(to, machine.statistics());
  } catch (const UserError&) {
    // Another machine has it.
  }
}

/// The names between which a parameter chooses.
std::vector<std::string> choices_of(const sim::ParameterBase& parameter) {
  if (dynamic_cast<const sim::Choice*>(&parameter) == nullptr) return {};
  std::vector<std::string> names(1);
  const std::string allowed = parameter.allowed();
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    if (allowed.compare(i, 2, ", ") == 0) {
      names.emplace_back();
      ++i;
    } else if (allowed.compare(i, 4, " or ") == 0) {
      names.emplace_back();
      i += 3;
    } else {
      names.back() += allowed[i];
    }
  }
  return names;
}

void add_choices(StatisticInfos& to, const sim::ParameterGroup& group) {
  for (const sim::ParameterBase* parameter : group.parameters()) {
    for (const std::string& choice : choices_of(*parameter)) {
      const std::string change = fmt::format("{}.{}={}", group.path(), parameter->key(), choice);
      for (const char* design : {"", "power-d2", "vc-with-opt"})
        add_machine(to, kReferenceGpu, design, {group.path().empty() ? change.substr(1) : change});
    }
  }
  for (const sim::ParameterGroup* child : group.groups()) add_choices(to, *child);
}

}  // namespace

std::string parameter_page() {
  std::string page =
      "# Every parameter\n\nWritten by `heddle generate parameters`; do not edit. Values of a GPU or design are shown "
      "by "
      "`heddle params`, and set by `--set PATH=VALUE`, in a GPU's file ([gpu-files.md](../gpu-files.md)) or in a sweep "
      "([sweeps.md](../sweeps.md)).\n";
  const gpu::GpuParameters parameters;
  add_parameters(page, parameters);
  return page;
}

std::string statistic_page() {
  StatisticInfos all;
  for (const PresetInfo& preset : gpu_presets()) add_machine(all, preset.name, "", {});
  for (const PresetInfo& preset : design_presets()) add_machine(all, kReferenceGpu, preset.name, {});
  add_choices(all, gpu::GpuParameters());
  for (const SharedFigure& figure : first_run_figures())
    all[figure.of_application ? "mix.application_N" : "mix"][figure.name] = {figure.unit, figure.meaning};
  for (const SharedFigure& figure : sharing_descriptions()) all["mix"][figure.name] = {figure.unit, figure.meaning};
  std::string page =
      "# Every statistic\n\nWritten by `heddle generate statistics`; do not edit. `heddle stats` shows those of one "
      "GPU "
      "and design, `--stats FILE` writes them by instance, and the results database has the counters added up over "
      "instances, under these names ([results.md](../results.md)); ratios are left to those who ask. Which of them a "
      "machine has depends on what it is made of. "
      "Runs "
      "of GPUs whose process is known have `energy.*`, `area.*` and `storage.*` beside them "
      "([energy.md](../energy.md)).\n\n"
      "Where several applications share the GPU, what is marked with \u2022 is counted for each of them as well: "
      "`gpu.sm.l1_hits` of the second is `gpu.sm.application_1.l1_hits`. Cycles of what they share, such as issue "
      "slots "
      "and a slice's stalls, are of none. `mix.*` is not of a machine but of a run of several, or of `heddle mix` "
      "([sharing.md](../sharing.md)).\n";
  for (const auto& [group, statistics] : all) {
    if (statistics.empty()) continue;
    page += fmt::format("\n## `{}`\n\n| statistic | unit | | meaning |\n|---|---|---|---|\n", group);
    for (const auto& [name, info] : statistics)
      page += fmt::format("| `{}.{}` | {} | {} | {} |\n", group, name, info.unit, info.divisible ? "\u2022" : "",
                          in_cell(info.description));
  }
  return page;
}

}  // namespace heddle::cli
