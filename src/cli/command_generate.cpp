// heddle generate: what is written from the program itself: reference pages, the manual page, completion for shells.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/command_tree.h"
#include "cli/commands.h"
#include "cli/reference.h"

namespace heddle::cli {

void add_generate(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("generate", "Print reference pages, the manual page, or completion for a shell");
  command->require_subcommand(1);
  const auto add = [&](const char* name, const char* what, const std::function<std::string()>& make) {
    command->add_subcommand(name, what)->callback([make, &action] {
      action = [make] {
        fmt::print("{}", make());
        return kSuccess;
      };
    });
  };
  add("parameters", "Every parameter, as docs/reference/parameters.md", parameter_page);
  add("statistics", "Every statistic, as docs/reference/statistics.md", statistic_page);
  add("man", "The manual page", [&app] { return manual_page(describe_commands(app)); });
  auto shell = std::make_shared<std::string>();
  CLI::App* complete = command->add_subcommand("completion", "Completion of commands, options and names for a shell");
  complete->add_option("SHELL", *shell, "bash, zsh or fish")->required();
  complete->callback([shell, &app, &action] {
    action = [shell, &app] {
      fmt::print("{}", completion(describe_commands(app), *shell));
      return kSuccess;
    };
  });
}

}  // namespace heddle::cli
