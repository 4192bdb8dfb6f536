// The commands and options of the program as plain data, for the manual page and for the completion of shells.
#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): as CLI11 names it
class App;
}

namespace heddle::cli {

struct OptionInfo {
  std::vector<std::string> names;  ///< "--gpu", "-o"; for an argument without dashes its name
  std::string description;
  std::string initial;  ///< the default; empty: none
  bool takes_value = false;
  bool positional = false;
};

struct CommandInfo {
  std::string name;  ///< "results diff"
  std::string description;
  std::vector<OptionInfo> options;
  std::vector<CommandInfo> commands;
};

[[nodiscard]] CommandInfo describe_commands(const CLI::App& app);

/// The manual page, in the language of man.
[[nodiscard]] std::string manual_page(const CommandInfo& program);
/// What makes a shell complete names: "bash", "zsh" or "fish".
[[nodiscard]] std::string completion(const CommandInfo& program, const std::string& shell);

}  // namespace heddle::cli
