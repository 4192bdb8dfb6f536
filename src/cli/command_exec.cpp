// heddle exec: runs a compiled CUDA program.
#include <CLI/CLI.hpp>

#include <memory>
#include <utility>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/exec_program.h"
#include "session/checks.h"
#include "session/records.h"

namespace heddle::cli {
namespace {

int execute(session::ExecOptions options, std::vector<std::string> words) {
  if (words.empty() && !options.phases.kernels.empty())  // exec --kernels ./program
    words.push_back(std::exchange(options.phases.kernels, ""));
  if (words.empty()) throw UserError("heddle exec: no program; heddle exec [options] -- ./program arguments");
  // A mistake is told before the program starts.
  if (options.profile.on && options.machine.functional)
    throw UserError("--profile: a functional run takes no time; leave out --functional");
  static_cast<void>(parse_checks(options.machine.check));
  prepare_profile(options.profile);
  for (const std::string& file : options.reads) static_cast<void>(read_file(file));
  results::RunDescription checked;
  describe_machine(options.machine, options.phases.phases(), load_machine(options.machine).get(), checked);
  if (!options.machine.statistics.empty()) require_writable("--stats", options.machine.statistics);
  start_program(std::move(options), words);
}

}  // namespace

void add_exec(CLI::App& app, Action& action) {
  auto options = std::make_shared<session::ExecOptions>();
  CLI::App* command =
      app.add_subcommand("exec", "Run a compiled CUDA program: heddle exec [options] -- ./program arguments");
  session::add_exec_options(*command, *options);
  auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("program", *words, "The program and its arguments, after --");
  command->callback([options, words, &action] { action = [options, words] { return execute(*options, *words); }; });
}

}  // namespace heddle::cli
