#include "session/exec_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/diagnostics.h"
#include "session/checks.h"

namespace heddle::session {

void add_exec_options(CLI::App& command, ExecOptions& options) {
  add_machine_options(command, options.machine);
  add_phase_options(command, options.phases);
  add_database_options(command, options.database, true);
  command
      .add_option("--reads", options.reads,
                  "A file that the program reads: its bytes tell the run from others; repeatable")
      ->allow_extra_args(false);
  command.add_flag("--quiet", options.quiet, "Print no summary and no progress");
  add_check_option(command, options.machine.check);
  add_profile_flag(command, options.profile);
  command.add_option("--run", options.run, "The run of a sweep that this is")->group("");
}

std::string write_exec_options(const ExecOptions& options) {
  const MachineOptions& machine = options.machine;
  std::string text = fmt::format("--gpu={}\n", machine.gpu);
  if (machine.threads != 0) text += fmt::format("--threads={}\n", machine.threads);
  if (!machine.design.empty()) text += fmt::format("--design={}\n", machine.design);
  for (const std::string& change : machine.changes) text += fmt::format("--set={}\n", change);
  if (!machine.statistics.empty()) text += fmt::format("--stats={}\n", machine.statistics);
  if (machine.functional) text += "--functional\n";
  if (machine.limits.warp_instructions != 0)
    text += fmt::format("--limit-instructions={}\n", machine.limits.warp_instructions);
  if (machine.limits.host_seconds > 0) text += fmt::format("--limit-seconds={}\n", machine.limits.host_seconds);
  text += write_phase_options(options.phases);
  for (const std::string& file : options.reads) text += fmt::format("--reads={}\n", file);
  if (options.run != 0) text += fmt::format("--run={}\n", options.run);
  if (!options.database.path.empty()) text += fmt::format("--db={}\n", options.database.path);
  if (options.database.without) text += "--no-db\n";
  if (options.quiet) text += "--quiet\n";
  if (!machine.check.empty()) text += fmt::format("--check={}\n", machine.check);
  text += write_profile_options(options.profile);
  return text;
}

ExecOptions read_exec_options(const std::string& text) {
  const char separator = text.find('\n') == std::string::npos ? ' ' : '\n';
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  ExecOptions options;
  CLI::App app;
  add_exec_options(app, options);
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    throw UserError(fmt::format("{}: {}", kOptionsVariable, error.what()));
  }
  return options;
}

}  // namespace heddle::session
