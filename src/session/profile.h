// The profile by line: what a run's instructions cost, put together by source line, PTX line or kernel.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "core/profile.h"
#include "results/report.h"
#include "results/table.h"
#include "runtime/device.h"

namespace CLI {  // NOLINT(readability-identifier-naming): as CLI11 names it
class App;
class Option;
}  // namespace CLI

namespace heddle::session {

struct ProfileOptions {
  bool on = false;
  std::string by = "line";  ///< line, ptx or kernel
  unsigned top = 20;        ///< rows for a person; 0: all
  bool csv = false;
  bool json = false;
  std::string output;  ///< file in place of what is printed; empty: none
  std::string report;  ///< HTML file; empty: none
};

/// Declares all but `on`. Without a `flag` for that the profile is what the command is for; with one the others need
/// it.
void add_profile_options(CLI::App& command, ProfileOptions& options, CLI::Option* flag = nullptr);
/// Declares --profile and those that belong to it.
void add_profile_flag(CLI::App& command, ProfileOptions& options);
/// As words of a command line, a line each.
[[nodiscard]] std::string write_profile_options(const ProfileOptions& options);
/// Throws UserError if a file cannot be written; makes names of files independent of the folder.
void prepare_profile(ProfileOptions& options);

struct ProfileRow {
  std::string kernel;  ///< as people write it
  std::string file;    ///< of the source, or the PTX module; empty: the whole kernel, or no instruction
  std::uint32_t line = 0;
  std::string text;  ///< that line, if it is at hand
  core::InstructionProfile counts;

  /// "bfs.cu:34".
  [[nodiscard]] std::string place() const;
};

/// Dearest first; none if nothing was timed. The last row is of the slots that no instruction is to blame for. `by` as
/// in the options: source lines are those that the compiler named (.loc); where it named none, PTX lines.
[[nodiscard]] std::vector<ProfileRow> profile_rows(const std::vector<const runtime::Device*>& devices,
                                                   const std::string& by);
/// All counts, for programs.
[[nodiscard]] results::Table profile_table(const std::vector<ProfileRow>& rows);
/// As they are kept with a run.
[[nodiscard]] std::vector<results::LineRecord> line_records(const std::vector<ProfileRow>& rows);
/// Does what the options ask for; what is for a person goes to `out`.
void write_profile(const std::vector<ProfileRow>& rows, const ProfileOptions& options, const std::string& title,
                   std::FILE* out);

}  // namespace heddle::session
