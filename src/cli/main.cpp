#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>

#include "base/check.h"
#include "base/diagnostics.h"
#include "base/suggestion.h"
#include "cli/commands.h"
#include "runtime/device.h"

namespace heddle::cli {

namespace {

/// The parser takes -1 for the largest number there is.
void refuse_negative_numbers(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_type_name() != "UINT") continue;
    option->check(CLI::Validator(
        [](std::string& text) { return text.starts_with('-') ? std::string("must not be negative") : std::string(); },
        ""));
  }
  for (CLI::App* command : app.get_subcommands({})) refuse_negative_numbers(*command);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Heddle runs CUDA programs on GPUs that do not exist yet.", "heddle"};
  app.set_version_flag("--version", HEDDLE_VERSION);
  app.require_subcommand(1);
  Action action;
  add_run(app, action);
  add_mix(app, action);
  add_exec(app, action);
  add_profile(app, action);
  add_list(app, action);
  add_characterise(app, action);
  add_sweep(app, action);
  add_reproduce(app, action);
  add_results(app, action);
  add_report(app, action);
  add_plot(app, action);
  add_coverage(app, action);
  add_validate(app, action);
  add_gpus(app, action);
  add_designs(app, action);
  add_params(app, action);
  add_stats(app, action);
  add_area(app, action);
  add_disasm(app, action);
  add_conformance(app, action);
  add_generate(app, action);
  refuse_negative_numbers(app);
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
  if (argc > 1 && argv[1][0] != '-' && std::find(commands.begin(), commands.end(), argv[1]) == commands.end()) {
    fmt::print(stderr, "there is no command '{}' ({})\n", argv[1], known_names(argv[1], commands));
    return kUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kSuccess : kUsage;
  }
  try {
    return action();
  } catch (const runtime::LaunchError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kFailure;
  } catch (const UserError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "heddle: {}\n", error.what());
    return kInternal;
  }
}

}  // namespace heddle::cli
