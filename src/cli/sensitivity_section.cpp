#include "cli/sensitivity_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/reproduction_page.h"

namespace heddle::cli {
namespace {

using study::Judgement;
using study::SensitivityRow;
using study::Verdict;

/// Values longer than this are said as "3 of 8".
constexpr std::size_t kLongestValue = 60;

std::string name_of(const Judgement& one) {
  return short_name(one.claim.id) + (one.reading.empty() ? "" : fmt::format(" ({})", one.reading));
}

std::string value_of(const Judgement& one) {
  if (one.found.size() <= kLongestValue || one.values == 0) return one.found;
  return fmt::format("{} of {}", one.held, one.values);
}

std::string with_verdict(const Judgement& one) {
  if (one.verdict == Verdict::not_run) return "not run";
  return fmt::format("{}: {}", cell(value_of(one)), study::to_string(one.verdict));
}

/// Names of claims, each once, where a test of a row holds for the assumption of that number.
template <typename Test>
std::vector<std::string> names(const std::vector<SensitivityRow>& rows, std::size_t assumption, Test&& test) {
  std::vector<std::string> found;
  for (const SensitivityRow& row : rows) {
    if (test(row.as_it_is, row.under[assumption])) found.push_back(name_of(row.as_it_is));
  }
  return found;
}

/// By claim; readings stay in their order, as the first is the one that counts.
std::vector<SensitivityRow> rows_of(const SensitivityResults& results) {
  std::vector<SensitivityRow> rows = study::compare(results.as_it_is, results.assumptions);
  std::stable_sort(rows.begin(), rows.end(), [](const SensitivityRow& one, const SensitivityRow& other) {
    return one.as_it_is.claim.id < other.as_it_is.claim.id;
  });
  return rows;
}

std::string joined(const std::vector<std::string>& texts) {
  return texts.empty() ? "-" : fmt::format("{}", fmt::join(texts, ", "));
}

std::string counts(const std::vector<Judgement>& judgements) {
  const std::map<Verdict, int> counted = count_verdicts(judgements);
  const auto count = [&](Verdict verdict) {
    const auto found = counted.find(verdict);
    return found == counted.end() ? 0 : found->second;
  };
  return fmt::format("{} | {} | {}", count(Verdict::reproduced), count(Verdict::same_direction),
                     count(Verdict::not_reproduced));
}

std::string assumptions_table(const SensitivityResults& results, const std::vector<SensitivityRow>& rows) {
  std::string out =
      "| assumption | what is changed | reproduced | same direction | not reproduced | turns | breaks |\n"
      "|---|---|---:|---:|---:|---|---|\n";
  out += fmt::format("| as above | nothing | {} | | |\n", counts(results.as_it_is));
  for (std::size_t a = 0; a < results.assumptions.size(); ++a) {
    const study::JudgedAgain& again = results.assumptions[a];
    out += fmt::format("| {} | {} {} | {} | {} | {} |\n", again.assumption.name, cell(again.assumption.says),
                       cell(study::changes_text(again.assumption)), counts(again.judgements),
                       joined(names(rows, a, study::turns)), joined(names(rows, a, study::breaks)));
  }
  return out;
}

std::vector<std::string> turned_by(const SensitivityResults& results, const SensitivityRow& row) {
  std::vector<std::string> by;
  for (std::size_t a = 0; a < row.under.size(); ++a) {
    if (study::turns(row.as_it_is, row.under[a])) by.push_back(results.assumptions[a].assumption.name);
  }
  return by;
}

std::string claims_table(const SensitivityResults& results, const std::vector<SensitivityRow>& rows) {
  std::string out = "| claim | paper | as above |";
  for (const study::JudgedAgain& again : results.assumptions) out += fmt::format(" {} |", again.assumption.name);
  out += " turned by |\n|---|---|---|";
  for (std::size_t a = 0; a < results.assumptions.size(); ++a) out += "---|";
  out += "---|\n";
  for (const SensitivityRow& row : rows) {
    if (row.as_it_is.verdict == Verdict::reproduced || row.as_it_is.verdict == Verdict::not_run) continue;
    out += fmt::format("| {} | {} | {} |", name_of(row.as_it_is), study::value_text(row.as_it_is.claim),
                       with_verdict(row.as_it_is));
    for (const Judgement& one : row.under)
      out += study::turns(row.as_it_is, one) ? fmt::format(" **{}** |", with_verdict(one))
                                             : fmt::format(" {} |", with_verdict(one));
    out += fmt::format(" {} |\n", joined(turned_by(results, row)));
  }
  return out;
}

/// Of the claims that do not hold in the reading that counts, or in direction only.
struct Open {
  std::vector<std::string> readings;  ///< others of theirs that come closer as they are
  std::vector<std::string> left;      ///< claims that none of their readings brings closer, under no assumption
};

Open open_claims(const std::vector<SensitivityRow>& rows) {
  Open open;
  for (auto counted = rows.begin(); counted != rows.end();) {
    const Judgement& claim = counted->as_it_is;
    const auto end = std::find_if(counted, rows.end(),
                                  [&](const SensitivityRow& row) { return row.as_it_is.claim.id != claim.claim.id; });
    const auto closer = [&](const Judgement& one) { return one.verdict < claim.verdict; };
    const bool ran = claim.verdict != Verdict::reproduced && claim.verdict != Verdict::not_run;
    bool turned = !ran;
    for (auto row = counted; ran && row != end; ++row) {
      if (closer(row->as_it_is)) open.readings.push_back(name_of(row->as_it_is));
      turned = turned || closer(row->as_it_is) || std::any_of(row->under.begin(), row->under.end(), closer);
    }
    if (!turned) open.left.push_back(short_name(claim.claim.id));
    counted = end;
  }
  return open;
}

}  // namespace

std::string sensitivity_section(const SensitivityResults& results) {
  const std::vector<SensitivityRow> rows = rows_of(results);
  std::string out = fmt::format(
      "## Which assumption turns it\n\nEach assumption below is changed by itself, or together with others where "
      "it says so, in all runs of {}, and the claims are judged again{}. An assumption turns a claim that does "
      "not hold, or in direction only, if the verdict is better under it (bold); it breaks one if the verdict is "
      "worse. A claim about many workloads or many parts whose values are too many for a cell has how many of them are "
      "as it says.\n\n",
      results.figures.empty() ? "this page" : fmt::format("{}", fmt::join(results.figures, ", ")),
      results.seeds.empty()
          ? ""
          : fmt::format(", over {} {}", results.seeds.size() == 1 ? "seed" : "seeds", fmt::join(results.seeds, ", ")));
  out += assumptions_table(results, rows) + "\n" + claims_table(results, rows);
  const Open open = open_claims(rows);
  if (!open.readings.empty())
    out +=
        fmt::format("\nAnother reading than the one that counts comes closer: {}.\n", fmt::join(open.readings, ", "));
  if (!open.left.empty())
    out += fmt::format("\nNeither an assumption nor another reading turns {}.\n", fmt::join(open.left, ", "));
  return out;
}

std::string sensitivity_lines(const SensitivityResults& results) {
  const std::vector<SensitivityRow> rows = rows_of(results);
  std::string out = fmt::format("as it is: {}\n", text_of(count_verdicts(results.as_it_is)));
  for (std::size_t a = 0; a < results.assumptions.size(); ++a) {
    const study::JudgedAgain& again = results.assumptions[a];
    out += fmt::format("{}, {}: {}\n", again.assumption.name, study::changes_text(again.assumption),
                       text_of(count_verdicts(again.judgements)));
    for (const SensitivityRow& row : rows) {
      const char* what = study::turns(row.as_it_is, row.under[a])    ? "turns"
                         : study::breaks(row.as_it_is, row.under[a]) ? "breaks"
                                                                     : nullptr;
      if (what == nullptr) continue;
      out += fmt::format("  {:<6} {}: {} -> {}\n", what, name_of(row.as_it_is), with_verdict(row.as_it_is),
                         with_verdict(row.under[a]));
    }
  }
  const Open open = open_claims(rows);
  if (!open.readings.empty()) out += fmt::format("closer in another reading: {}\n", fmt::join(open.readings, ", "));
  if (!open.left.empty()) out += fmt::format("turned by none: {}\n", fmt::join(open.left, ", "));
  return out;
}

}  // namespace heddle::cli
