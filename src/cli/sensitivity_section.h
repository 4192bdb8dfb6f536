// Which assumption turns which claim, as `heddle reproduce PAPER --sensitivity` prints it: a section of the page, or
// lines for a terminal.
#pragma once

#include <string>
#include <vector>

#include "study/sensitivity.h"

namespace heddle::cli {

/// The claims as the experiments have them, over the seeds that assumptions are judged over, and what assumptions make
/// of them.
struct SensitivityResults {
  std::vector<std::string> seeds;    ///< empty: those of the experiments
  std::vector<std::string> figures;  ///< those judged again; empty: all of the page
  std::vector<study::Judgement> as_it_is;
  std::vector<study::JudgedAgain> assumptions;  ///< empty: there is nothing to say
};

/// "## Which assumption turns it", with tables.
[[nodiscard]] std::string sensitivity_section(const SensitivityResults& results);
/// The same for a terminal: what each assumption turns and breaks.
[[nodiscard]] std::string sensitivity_lines(const SensitivityResults& results);

}  // namespace heddle::cli
