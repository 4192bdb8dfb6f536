// What is written by hand about a paper's results: experiments/notes/PAPER.toml.
//
//   [[reason]]                             # why claims do not hold, from measurements
//   claims = ["W04_design3_overhead"]
//   text = "..."
//   [[change]]                             # of a rule, an input or a metric after results were known
//   text = "..."
#pragma once

#include <map>
#include <string>
#include <vector>

#include "study/claim.h"

namespace heddle::study {

struct Reason {
  std::vector<std::string> claims;
  std::string text;
};

struct Notes {
  std::vector<Reason> reasons;
  std::vector<std::string> changes;
};

/// `claims` are the paper's. Throws UserError with every mistake.
[[nodiscard]] Notes parse_notes(const std::string& text, const std::string& name,
                                const std::map<std::string, Claim>& claims);

}  // namespace heddle::study
