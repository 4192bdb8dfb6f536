#include "cli/reproduction_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "session/records.h"

namespace heddle::cli {
namespace {

using study::Judgement;
using study::Verdict;

std::string claims_table(std::vector<Judgement> judgements) {
  // Readings stay in their order: the first is the one that counts.
  std::stable_sort(judgements.begin(), judgements.end(),
                   [](const Judgement& one, const Judgement& other) { return one.claim.id < other.claim.id; });
  std::string out = "| claim | says | paper | here | verdict | from |\n|---|---|---|---|---|---|\n";
  for (const Judgement& one : judgements) {
    out += fmt::format("| {}{} | {} | {} | {} | {} | {} |\n", short_name(one.claim.id),
                       one.reading.empty() ? "" : fmt::format(" ({})", one.reading), cell(one.claim.statement),
                       study::value_text(one.claim), cell(one.found), study::to_string(one.verdict), one.figure);
  }
  return out;
}

std::string figure_table(const study::Experiment& experiment, const study::ExperimentResult& result) {
  std::string out = fmt::format("### {}\n\n{}, on {}", experiment.title, experiment.shows, experiment.gpu);
  out += fmt::format(", size {}", experiment.size);
  for (const auto& [workload, size] : experiment.sizes) out += fmt::format(", {} {}", workload, size);
  for (const auto& [workload, input] : experiment.inputs) out += fmt::format(", {} on {}", workload, input);
  for (const auto& [workload, window] : experiment.windows)
    out += fmt::format(", {} from launch {} on for {}", workload, window.start_kernel,
                       window.window.empty() ? "the rest" : window.window + " warp instructions");
  out += fmt::format("; {} {}.{}{}\n\n|", experiment.seeds.size() == 1 ? "seed" : "seeds",
                     fmt::join(experiment.seeds, ", "), experiment.footprint.empty() ? "" : " ", experiment.footprint);
  for (const std::string& design : experiment.designs) out += fmt::format(" | {}", design);
  out += " |\n|---|";
  for (std::size_t d = 0; d < experiment.designs.size(); ++d) out += "---:|";
  out += "\n";
  for (std::size_t r = 0; r < result.rows.size(); ++r) {
    out += fmt::format("| {}", result.rows[r]);
    for (const auto& value : result.cells[r]) {
      if (!value) {
        out += " | -";
      } else if (value->spread == 0) {
        out += fmt::format(" | {:.4g}", value->value);
      } else {
        out += fmt::format(" | {:.4g} ± {:.2g}", value->value, value->spread);
      }
    }
    out += " |\n";
  }
  return out + "\n";
}

std::string reasons(const study::Notes& notes, const std::vector<Judgement>& judgements) {
  std::set<std::string> open;
  for (const Judgement& one : judgements) {
    if (one.verdict != Verdict::reproduced) open.insert(one.claim.id);
  }
  std::string out;
  for (const study::Reason& reason : notes.reasons) {
    std::vector<std::string> names;
    for (const std::string& id : reason.claims) {
      if (open.contains(id)) names.push_back(short_name(id));
    }
    if (!names.empty()) out += fmt::format("- **{}**: {}\n", fmt::join(names, ", "), reason.text);
  }
  return out;
}

std::string untested(const PaperResults& results, const std::vector<Judgement>& judgements) {
  std::set<std::string> judged;
  for (const Judgement& one : judgements) judged.insert(one.claim.id);
  std::string out;
  for (const auto& [id, claim] : results.claims) {
    if (judged.contains(id)) continue;
    out += fmt::format("| {} | {} | {} |\n", short_name(id), cell(claim.statement),
                       claim.untested.empty() ? "no experiment yet" : cell(claim.untested));
  }
  return out;
}

/// Over how many seeds figures are, where it is more than one.
std::string spread_text(const PaperResults& results) {
  std::size_t most = 0;
  std::size_t least = SIZE_MAX;
  for (const auto& [experiment, result] : results.experiments) {
    most = std::max(most, experiment.seeds.size());
    least = std::min(least, experiment.seeds.size());
  }
  if (most <= 1) return "";
  return fmt::format(
      " Values are means over {} seeds of inputs, ± their standard deviation; effects that are not above "
      "it do not count.",
      least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most));
}

double percent(int part, int all) { return all == 0 ? 0 : 100.0 * part / all; }

}  // namespace

std::string short_name(const std::string& id) {
  const std::string number = id.substr(0, id.find('_'));
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  const bool is_number = number.size() > 1 && std::isupper(static_cast<unsigned char>(number.front())) != 0 &&
                         std::all_of(number.begin() + 1, number.end(), is_digit);
  return is_number ? number : id;
}

std::string cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
    text.replace(at, 1, "\\|");
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::map<Verdict, int> count_verdicts(const std::vector<Judgement>& judgements) {
  std::map<Verdict, int> counts;
  std::set<std::string> counted;
  for (const Judgement& one : judgements) {
    if (counted.insert(one.claim.id).second) ++counts[one.verdict];
  }
  return counts;
}

std::string text_of(const std::map<Verdict, int>& counts) {
  const auto count = [&](Verdict verdict) {
    const auto found = counts.find(verdict);
    return found == counts.end() ? 0 : found->second;
  };
  return fmt::format("{} reproduced, {} in the same direction, {} not reproduced, {} not run",
                     count(Verdict::reproduced), count(Verdict::same_direction), count(Verdict::not_reproduced),
                     count(Verdict::not_run));
}

std::string reproduction_page(const PaperResults& results) {
  std::vector<Judgement> parts;
  for (const auto& [experiment, result] : results.experiments)
    parts.insert(parts.end(), result.judgements.begin(), result.judgements.end());
  const std::vector<Judgement> judgements = study::put_together(parts);
  std::map<Verdict, int> counts = count_verdicts(judgements);
  const int ran = counts[Verdict::reproduced] + counts[Verdict::same_direction] + counts[Verdict::not_reproduced];
  std::string out = fmt::format(
      "# {}\n\nWritten by `{}` with Heddle {}; do not edit. Reasons and changes are those of "
      "`experiments/notes/{}.toml`, everything else is measured. How claims are judged: "
      "[experiments.md](../experiments.md).\n\n"
      "{} claims are judged: {}. Of those that ran, {:.0f} % hold in direction and {:.0f} % in range. Where a claim "
      "has "
      "several readings, the first is counted.{}\n\n## Claims\n\n",
      results.title, results.command, session::simulator_version(), results.paper, ran + counts[Verdict::not_run],
      text_of(counts), percent(counts[Verdict::reproduced] + counts[Verdict::same_direction], ran),
      percent(counts[Verdict::reproduced], ran), spread_text(results));
  out += claims_table(judgements);
  if (const std::string text = reasons(results.notes, judgements); !text.empty())
    out += "\n## Why the rest differ\n\n" + text;
  if (!results.sensitivity.assumptions.empty()) out += "\n" + sensitivity_section(results.sensitivity);
  if (const std::string text = untested(results, judgements); !text.empty())
    out += "\n## Claims without an experiment\n\n| claim | says | why |\n|---|---|---|\n" + text;
  if (!results.notes.changes.empty()) {
    out += "\n## Changed after results were known\n\n";
    for (const std::string& change : results.notes.changes) out += fmt::format("- {}\n", change);
  }
  out += "\n## Figures\n\n";
  for (const auto& [experiment, result] : results.experiments) out += figure_table(experiment, result);
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

}  // namespace heddle::cli
