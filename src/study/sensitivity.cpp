#include "study/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "study/experiment_runs.h"
#include "study/toml_reader.h"

namespace heddle::study {
namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// What the experiments run: mistakes in names are found before anything does.
struct Names {
  std::set<std::string> figures;
  std::set<std::string> workloads;
  std::set<std::string> designs;  ///< presets

  explicit Names(const std::vector<Experiment>& experiments) {
    for (const Experiment& experiment : experiments) {
      figures.insert(experiment.figure);
      workloads.insert(experiment.workloads.begin(), experiment.workloads.end());
      if (!experiment.alone.empty()) designs.insert(experiment.alone);
      for (const std::string& design : experiment.designs) {
        const auto variant = experiment.variants.find(design);
        designs.insert(variant == experiment.variants.end() ? design : variant->second.design);
      }
    }
  }
};

Judgement not_run(const Judgement& judgement) {
  Judgement missing = judgement;
  missing.verdict = Verdict::not_run;
  missing.found = "runs or figures are missing";
  missing.held = missing.values = 0;
  return missing;
}

bool changes_something(const Assumption& assumption) {
  return !assumption.changes.empty() || !assumption.size.empty() || !assumption.sizes.empty() ||
         !assumption.inputs.empty() || !assumption.windows.empty();
}

/// Its parts, of those that stand before it in the file.
void read_parts(TomlTable& entry, const std::vector<Assumption>& before, Assumption& assumption) {
  for (const std::string& part : entry.texts("together")) {
    const auto known = std::find_if(before.begin(), before.end(), [&](const Assumption& a) { return a.name == part; });
    if (known == before.end()) {
      entry.error("together", fmt::format("'{}' is no assumption that stands before it", part));
    } else {
      assumption.parts.push_back(*known);
    }
  }
  if (!assumption.parts.empty() && changes_something(assumption))
    entry.error("together", "goes without set, size, sizes, inputs and windows: name an assumption for these");
}

Assumption read_assumption(TomlTable& entry, const Names& names, const std::vector<Assumption>& before) {
  Assumption assumption;
  assumption.name = entry.text("name");
  assumption.says = entry.text("says");
  assumption.changes = entry.texts("set");
  assumption.except = entry.texts("except");
  assumption.size = entry.text("size", "");
  // As an experiment has them, of the same workloads.
  Experiment sizes;
  sizes.workloads.assign(names.workloads.begin(), names.workloads.end());
  read_inputs(entry, sizes);
  assumption.sizes = sizes.sizes;
  assumption.inputs = sizes.inputs;
  assumption.windows = sizes.windows;
  for (const std::string& change : assumption.changes) {
    if (change.find('=') == std::string::npos) entry.error("set", fmt::format("'{}' is not PATH=VALUE", change));
  }
  for (const std::string& design : assumption.except) {
    if (!names.designs.contains(design))
      entry.error("except", fmt::format("'{}' is no design of this paper's experiments (there are: {})", design,
                                        fmt::join(names.designs, ", ")));
  }
  if (assumption.changes.empty() && !assumption.except.empty()) entry.error("except", "goes with set only");
  read_parts(entry, before, assumption);
  if (assumption.parts.empty() && !changes_something(assumption))
    entry.error("name", "changes nothing: it needs set, size, sizes, inputs, windows or together");
  entry.finish();
  return assumption;
}

}  // namespace

Sensitivity parse_sensitivity(const std::string& text, const std::string& name,
                              const std::vector<Experiment>& experiments) {
  const toml::table parsed = parse_toml(text, name);
  Diagnostics diagnostics(name);
  TomlTable file(parsed, "", diagnostics);
  Sensitivity sensitivity;
  sensitivity.seeds = file.texts("seeds");
  sensitivity.figures = file.texts("figures");
  const Names names(experiments);
  for (const std::string& figure : sensitivity.figures) {
    if (!names.figures.contains(figure))
      file.error("figures", fmt::format("'{}' is no experiment of this paper (there are: {})", figure,
                                        fmt::join(names.figures, ", ")));
  }
  std::set<std::string> seen;
  for (const toml::table* table : file.tables("assumption")) {
    TomlTable entry(*table, "assumption", diagnostics);
    Assumption assumption = read_assumption(entry, names, sensitivity.assumptions);
    if (!seen.insert(assumption.name).second) entry.error("name", fmt::format("'{}' is there twice", assumption.name));
    sensitivity.assumptions.push_back(std::move(assumption));
  }
  if (sensitivity.assumptions.empty()) file.error("assumption", "is missing: there is none");
  file.finish();
  diagnostics.throw_if_errors();
  return sensitivity;
}

bool Sensitivity::judges(const Experiment& experiment) const {
  return figures.empty() || has(figures, experiment.figure);
}

Experiment under(const Assumption& assumption, const Experiment& experiment) {
  Experiment changed = experiment;
  for (const Assumption& part : assumption.parts) changed = under(part, changed);
  if (!assumption.size.empty()) changed.size = assumption.size;
  for (const auto& [workload, size] : assumption.sizes) {
    if (has(experiment.workloads, workload)) changed.sizes[workload] = size;
  }
  for (const auto& [workload, input] : assumption.inputs) {
    if (has(experiment.workloads, workload)) changed.inputs[workload] = input;
  }
  for (const auto& [workload, window] : assumption.windows) {
    if (has(experiment.workloads, workload)) changed.windows[workload] = window;
  }
  if (assumption.except.empty()) {
    changed.changes.insert(changed.changes.end(), assumption.changes.begin(), assumption.changes.end());
    return changed;
  }
  if (!experiment.alone.empty() && !has(assumption.except, experiment.alone))
    throw UserError(
        fmt::format("{}: the assumption '{}' leaves out designs, but runs alone are on '{}', which it does "
                    "not: leave out none, or that one too",
                    experiment.file, assumption.name, experiment.alone));
  for (const std::string& design : experiment.designs) {
    const auto known = experiment.variants.find(design);
    Variant variant = known == experiment.variants.end() ? Variant{design, {}} : known->second;
    if (has(assumption.except, variant.design)) continue;
    // What a figure sets in a design is what the figure is about: it stays.
    variant.changes.insert(variant.changes.begin(), assumption.changes.begin(), assumption.changes.end());
    changed.variants[design] = std::move(variant);
  }
  return changed;
}

std::string changes_text(const Assumption& assumption) {
  std::vector<std::string> parts;
  for (const Assumption& part : assumption.parts) parts.push_back(part.name);
  if (!parts.empty()) return fmt::format("{}", fmt::join(parts, " and "));
  if (!assumption.size.empty()) parts.push_back("size " + assumption.size);
  for (const auto& [workload, size] : assumption.sizes) parts.push_back(fmt::format("{} {}", workload, size));
  for (const auto& [workload, input] : assumption.inputs) parts.push_back(fmt::format("{} on {}", workload, input));
  for (const auto& [workload, window] : assumption.windows) {
    parts.push_back(fmt::format("{} from launch {} on for {}", workload, window.start_kernel,
                                window.window.empty() ? "the rest" : window.window));
  }
  for (const std::string& change : assumption.changes) parts.push_back(fmt::format("`{}`", change));
  std::string text = fmt::format("{}", fmt::join(parts, ", "));
  if (!assumption.except.empty()) text += fmt::format(" (not in {})", fmt::join(assumption.except, ", "));
  return text;
}

std::vector<SensitivityRow> compare(const std::vector<Judgement>& as_it_is,
                                    const std::vector<JudgedAgain>& assumptions) {
  std::vector<SensitivityRow> rows;
  for (const Judgement& one : as_it_is) {
    SensitivityRow row{one, {}};
    for (const JudgedAgain& again : assumptions) {
      const auto same = std::find_if(again.judgements.begin(), again.judgements.end(), [&](const Judgement& other) {
        return other.claim.id == one.claim.id && other.reading == one.reading;
      });
      row.under.push_back(same == again.judgements.end() ? not_run(one) : *same);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

bool turns(const Judgement& as_it_is, const Judgement& under) {
  return as_it_is.verdict != Verdict::not_run && under.verdict < as_it_is.verdict;
}

bool breaks(const Judgement& as_it_is, const Judgement& under) {
  return under.verdict != Verdict::not_run && under.verdict > as_it_is.verdict;
}

}  // namespace heddle::study
