// Conformance vectors: instruction kernels with results recorded on a real GPU.
//
// A folder holds GROUP.ptx, GROUP.golden and manifest.csv (tests/conformance/README.md says what is in them).
#pragma once

#include <string>
#include <vector>

namespace heddle::cli {

struct ConformanceFailure {
  std::string group;
  std::string kernel;
  std::string reason;
};

struct ConformanceResult {
  std::size_t passed = 0;
  std::vector<ConformanceFailure> failures;
};

/// Runs every kernel of the manifest. Throws UserError if the folder cannot be read.
[[nodiscard]] ConformanceResult run_conformance(const std::string& folder);

}  // namespace heddle::cli
