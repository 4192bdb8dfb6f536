// What `heddle reproduce PAPER --markdown` prints: the page docs/reproduction/PAPER.md.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/sensitivity_section.h"
#include "study/experiment.h"
#include "study/notes.h"

namespace heddle::cli {

struct PaperResults {
  std::string paper;
  std::string title;
  std::string command;                         ///< that prints the page
  std::map<std::string, study::Claim> claims;  ///< those that the page is about
  study::Notes notes;
  std::vector<std::pair<study::Experiment, study::ExperimentResult>> experiments;
  SensitivityResults sensitivity;
};

/// The number a claim's id begins with, if it does: "W04" of "W04_design3_overhead". The table in "t3_mask_1" is none.
[[nodiscard]] std::string short_name(const std::string& id);
/// A text in a cell of a table.
[[nodiscard]] std::string cell(std::string text);

[[nodiscard]] std::string reproduction_page(const PaperResults& results);

/// How many claims came out how; of a claim with several readings the first counts.
[[nodiscard]] std::map<study::Verdict, int> count_verdicts(const std::vector<study::Judgement>& judgements);
/// "3 reproduced, 2 in the same direction, 1 not reproduced, 0 not run"
[[nodiscard]] std::string text_of(const std::map<study::Verdict, int>& counts);

}  // namespace heddle::cli
