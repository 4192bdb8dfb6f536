// Compiled CUDA programs, each run by a `heddle exec` of its own, several at a time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "results/record.h"
#include "session/machine_options.h"

namespace heddle::cli {

/// The launches of each program that ran, in the order in which it made them; a program that failed is not there and
/// has a line in `failures`.
struct ProgramRuns {
  std::map<std::string, std::vector<results::KernelRecord>> kernels;
  std::vector<std::string> failures;
};

/// Runs these files of the folder. Throws UserError if the folder lacks one.
[[nodiscard]] ProgramRuns run_programs(const std::string& folder, const std::vector<std::string>& names,
                                       const session::MachineOptions& machine, unsigned jobs);

}  // namespace heddle::cli
