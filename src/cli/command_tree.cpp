#include "cli/command_tree.h"

#include <CLI/CLI.hpp>

namespace heddle::cli {
namespace {

OptionInfo info_of(const CLI::Option& option) {
  OptionInfo info;
  for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  info.positional = info.names.empty();
  if (info.positional) info.names.push_back(option.get_name(true));
  info.description = option.get_description();
  info.initial = option.get_default_str();
  info.takes_value = option.get_items_expected_max() > 0;
  return info;
}

CommandInfo info_of(const CLI::App& app, const std::string& before) {
  CommandInfo info;
  info.name = before.empty() ? app.get_name() : before + " " + app.get_name();
  info.description = app.get_description();
  for (const CLI::Option* option : app.get_options([](const CLI::Option* one) { return !one->get_group().empty(); }))
    info.options.push_back(info_of(*option));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); }))
    info.commands.push_back(info_of(*command, info.name));
  return info;
}

}  // namespace

CommandInfo describe_commands(const CLI::App& app) { return info_of(app, ""); }

}  // namespace heddle::cli
