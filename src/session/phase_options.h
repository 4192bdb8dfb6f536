// The options that say which part of a long program is timed.
#pragma once

#include <string>

#include "runtime/phases.h"

namespace CLI {  // NOLINT(readability-identifier-naming): as CLI11 names it
class App;
}

namespace heddle::session {

struct PhaseOptions {
  std::uint64_t first_launch = 0;
  std::uint64_t skip = 0;
  std::string warmup;
  std::string window;
  bool kernel_lines = false;  ///< a line per launch is asked for
  std::string kernels;        ///< a regular expression: only those; empty: all

  /// Throws UserError that names the option.
  [[nodiscard]] runtime::Phases phases() const;
};

/// Options that mean these phases.
[[nodiscard]] PhaseOptions to_options(const runtime::Phases& phases);

/// "100000" or "100000cycles"; throws UserError that names the option.
[[nodiscard]] runtime::Amount parse_amount(const char* option, const std::string& text);

/// Declares --start-kernel, --skip, --warmup, --window and --kernels.
void add_phase_options(CLI::App& command, PhaseOptions& options);
/// The options as they would be given, a line each.
[[nodiscard]] std::string write_phase_options(const PhaseOptions& options);

}  // namespace heddle::session
