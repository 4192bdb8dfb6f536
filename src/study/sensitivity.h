// Which assumption turns a claim: experiments/sensitivity/PAPER.toml names assumptions that a paper leaves open. Each
// is changed by itself, or several together, in all runs of the paper's experiments, which are then judged again.
//
//   seeds = [1]              # optional: those that assumptions are judged over, and what they are compared with
//   figures = ["figure11"]   # optional: those that are judged again; otherwise all of the paper
//
//   [[assumption]]
//   name = "TLBs of 4 ways"
//   says = "..."             # what is changed, to which values, and why it is open: stated beside the table
//   set = ["sm.mmu.tlb.ways=4"]       # optional: parameters, below those that variants of a figure set themselves
//   except = ["no-mmu", "ideal"]      # optional: designs that these mean nothing to, so that their runs are shared
//   size = "medium"                   # optional: of workloads that have none of their own
//
//   [assumption.sizes]                # optional: of single workloads; likewise [assumption.inputs]
//   bfs = 524288
//
//   [assumption.windows.dbsort]       # optional: as in an experiment
//   start_kernel = 90
//
//   [[assumption]]
//   name = "both"
//   says = "..."
//   together = ["TLBs of 4 ways", "..."]  # instead of all these: assumptions named before, all at once
#pragma once

#include <map>
#include <string>
#include <vector>

#include "study/experiment.h"

namespace heddle::study {

struct Assumption {
  std::string name;
  std::string says;
  std::vector<std::string> changes;  ///< "path=value"
  std::vector<std::string> except;   ///< designs without those
  std::string size;                  ///< empty: the experiment's
  std::map<std::string, std::string> sizes;
  std::map<std::string, std::string> inputs;
  std::map<std::string, Window> windows;
  std::vector<Assumption> parts;  ///< changed together; then it changes nothing else
};

struct Sensitivity {
  std::vector<std::string> seeds;    ///< empty: those of the experiments
  std::vector<std::string> figures;  ///< those judged again; empty: all
  std::vector<Assumption> assumptions;

  [[nodiscard]] bool judges(const Experiment& experiment) const;
};

/// `experiments` are all of the paper: names of figures, workloads and designs that none of them has are mistakes.
/// Throws UserError with every mistake.
[[nodiscard]] Sensitivity parse_sensitivity(const std::string& text, const std::string& name,
                                            const std::vector<Experiment>& experiments);

/// The experiment with that changed.
[[nodiscard]] Experiment under(const Assumption& assumption, const Experiment& experiment);

/// What is changed, as text: "bfs 524288, `sm.mmu.tlb.ways=4` (not in no-mmu, ideal)", or the names of its parts.
[[nodiscard]] std::string changes_text(const Assumption& assumption);

/// What came of the claims under an assumption: one judgement per claim and reading, as put_together() makes them.
struct JudgedAgain {
  Assumption assumption;
  std::vector<Judgement> judgements;
};

/// A claim in one reading, and what becomes of it under each assumption.
struct SensitivityRow {
  Judgement as_it_is;
  std::vector<Judgement> under;  ///< in the order of the assumptions
};
[[nodiscard]] std::vector<SensitivityRow> compare(const std::vector<Judgement>& as_it_is,
                                                  const std::vector<JudgedAgain>& assumptions);

/// The claim does not hold as it is, and comes closer under the assumption.
[[nodiscard]] bool turns(const Judgement& as_it_is, const Judgement& under);
/// The claim holds less under the assumption than as it is.
[[nodiscard]] bool breaks(const Judgement& as_it_is, const Judgement& under);

}  // namespace heddle::study
