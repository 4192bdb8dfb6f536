// heddle profile: what the lines of a workload or a program cost.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <utility>

#include "cli/commands.h"
#include "cli/exec_program.h"
#include "cli/simulation.h"
#include "session/profile.h"
#include "session/progress.h"
#include "session/recorder.h"

namespace heddle::cli {
namespace {

struct CommandOptions {
  RunRequest request;
  ProfileOptions profile;
  DatabaseOptions database;
  std::vector<std::string> words;
};

[[noreturn]] void profile_program(const CommandOptions& options, bool gpu_given) {
  ExecOptions exec;
  const std::string gpu = exec.machine.gpu;
  exec.machine = options.request.machine;
  if (!gpu_given) exec.machine.gpu = gpu;
  exec.profile = options.profile;
  exec.database = options.database;
  exec.quiet = true;
  start_program(exec, options.words);
}

int profile_workloads(CommandOptions options) {
  options.request.workload = fmt::format("{}", fmt::join(options.words, "+"));
  options.request.machine.profile = true;
  const PreparedRun prepared = prepare(options.request);
  Recorder recorder(options.database, prepared.description);
  std::vector<ProfileRow> rows;
  auto line = std::make_unique<ProgressLine>(prepared.description.workload);
  const auto progress = [&line](const runtime::Progress& now) { return line->update(now); };
  const auto inspect = [&](const Devices& devices, const results::RunOutcome&) {
    line.reset();
    std::vector<const runtime::Device*> all;
    for (const auto& device : devices) all.push_back(device.get());
    rows = profile_rows(all, options.profile.by);
    write_profile(rows, options.profile, prepared.description.workload, stdout);
  };
  results::RunOutcome outcome = simulate(prepared, progress, inspect);
  outcome.lines = line_records(rows);
  recorder.finish(outcome);
  if (outcome.status == results::Status::passed) return kSuccess;
  fmt::print(stderr, "{}: {}\n", results::to_string(outcome.status), outcome.detail);
  return outcome.status == results::Status::interrupted ? kInterrupted : kFailure;
}

int profile(CommandOptions options, bool gpu_given) {
  if (options.request.machine.functional)
    throw UserError("heddle profile: a functional run takes no time; leave out --functional");
  prepare_profile(options.profile);
  options.profile.on = true;
  if (options.words.front().find('/') != std::string::npos) profile_program(options, gpu_given);
  return profile_workloads(std::move(options));
}

}  // namespace

void add_profile(CLI::App& app, Action& action) {
  auto options = std::make_shared<CommandOptions>();
  CLI::App* command = app.add_subcommand(
      "profile", "Say what each line of a workload or a program costs: heddle profile bfs, or -- ./program arguments");
  command
      ->add_option(
          "what", options->words,
          "Workloads as 'heddle run' takes them, or, after --, a program (its name has a '/') and its arguments")
      ->required();
  command->add_option("--size", options->request.size, "Of workloads: tiny, small, medium, paper, or a number")
      ->capture_default_str();
  command->add_option("--seed", options->request.seed, "Seed of the input generator")->capture_default_str();
  command->add_option("--input", options->request.input, "Kind of input (heddle list --long)");
  add_machine_options(*command, options->request.machine);
  add_profile_options(*command, options->profile);
  command->add_option("--db", options->database.path,
                      "Record the run with its profile in this results database; without it nothing is recorded");
  command->callback([options, command, &action] {
    options->database.without = options->database.path.empty();
    const bool gpu_given = command->count("--gpu") != 0;
    action = [options, gpu_given] { return profile(*options, gpu_given); };
  });
}

}  // namespace heddle::cli
