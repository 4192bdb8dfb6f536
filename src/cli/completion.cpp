// Completion of commands, options and names for shells. Names of workloads, GPUs and designs are asked of the program
// itself when they are needed, so that they are never old.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/diagnostics.h"
#include "cli/command_tree.h"

namespace heddle::cli {
namespace {

/// An option whose values a command of the program lists, one per line, each first on it.
struct Listed {
  const char* option;
  const char* command;
};
constexpr std::array<Listed, 2> kListed{{{"--gpu", "gpus"}, {"--design", "designs"}}};
/// Commands whose first argument is a workload.
constexpr std::array kOfWorkloads{"run", "mix", "characterise", "disasm"};

std::string words_of(const std::vector<CommandInfo>& commands) {
  std::string words;
  for (const CommandInfo& command : commands)
    words += (words.empty() ? "" : " ") + command.name.substr(command.name.rfind(' ') + 1);
  return words;
}

std::string option_words(const CommandInfo& command) {
  std::string words;
  for (const OptionInfo& option : command.options) {
    if (option.positional) continue;
    for (const std::string& name : option.names) words += (words.empty() ? "" : " ") + name;
  }
  return words;
}

std::string own_name(const CommandInfo& command) { return command.name.substr(command.name.find(' ') + 1); }

std::string bash_completion(const CommandInfo& program) {
  std::string text = "# Completion of heddle for bash; written by 'heddle generate completion bash'.\n_heddle() {\n";
  text += "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]:-}\n";
  text += "  local words=\n";
  text += fmt::format(
      "  if ((COMP_CWORD == 1)); then\n    mapfile -t COMPREPLY < <(compgen -W '{} {}' -- \"$current\")\n"
      "    return\n  fi\n",
      words_of(program.commands), option_words(program));
  text += "  case $before in\n";
  for (const Listed& listed : kListed)
    text +=
        fmt::format("    {}) words=$(heddle {} 2> /dev/null | cut -d ' ' -f 1) ;;\n", listed.option, listed.command);
  text += "  esac\n  if [[ -z $words && $current == -* ]]; then\n    case $command in\n";
  for (const CommandInfo& command : program.commands) {
    std::string words = option_words(command);
    for (const CommandInfo& below : command.commands) words += " " + option_words(below);
    text += fmt::format("      {}) words='{}' ;;\n", own_name(command), words);
  }
  text += "    esac\n  elif [[ -z $words ]]; then\n    case $command in\n";
  text +=
      fmt::format("      {}) words=$(heddle list 2> /dev/null | cut -d ' ' -f 1) ;;\n", fmt::join(kOfWorkloads, " | "));
  for (const CommandInfo& command : program.commands) {
    if (!command.commands.empty())
      text += fmt::format("      {}) words='{}' ;;\n", own_name(command), words_of(command.commands));
  }
  text += "    esac\n  fi\n  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n";
  text += "  if ((${#COMPREPLY[@]} == 0)); then mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); fi\n}\n";
  return text + "complete -o filenames -F _heddle heddle\n";
}

/// A text between single quotes, without what would end them or what the shells' own syntax uses.
std::string quoted(const std::string& text, const std::string& without) {
  std::string safe = "'";
  for (const char c : text) {
    if (c == '\'') {
      safe += "’";
    } else if (c == '\n') {
      safe += ' ';
    } else if (without.find(c) == std::string::npos) {
      safe += c;
    }
  }
  return safe + "'";
}

std::string zsh_completion(const CommandInfo& program) {
  std::string text = "#compdef heddle\n# Completion of heddle for zsh; written by 'heddle generate completion zsh'.\n";
  text += "_heddle_names() { compadd -- ${(f)\"$(heddle $1 2> /dev/null | cut -d ' ' -f 1)\"} }\n_heddle() {\n";
  text += "  local -a commands\n  commands=(\n";
  for (const CommandInfo& command : program.commands)
    text += fmt::format("    {}\n", quoted(own_name(command) + ":" + command.description, ""));
  text += "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n  case $words[2] in\n";
  for (const CommandInfo& command : program.commands) {
    text += fmt::format("    {})\n      _arguments \\\n", own_name(command));
    for (const OptionInfo& option : command.options) {
      if (option.positional) continue;
      for (const std::string& name : option.names) {
        const auto* listed =
            std::find_if(kListed.begin(), kListed.end(), [&](const Listed& one) { return name == one.option; });
        const std::string value = !option.takes_value       ? ""
                                  : listed != kListed.end() ? fmt::format(":name:_heddle_names {}", listed->command)
                                                            : ":value:_files";
        // Brackets and colons part the fields of what _arguments takes.
        std::string spec = quoted(option.description, "[]:");
        spec = fmt::format("'{}[{}]{}'", name, spec.substr(1, spec.size() - 2), value);
        text += fmt::format("        {} \\\n", spec);
      }
    }
    const bool workloads = std::find(kOfWorkloads.begin(), kOfWorkloads.end(), own_name(command)) != kOfWorkloads.end();
    text += fmt::format("        '*:argument:{}'\n      ;;\n", workloads ? "_heddle_names list" : "_files");
  }
  return text + "  esac\n}\n_heddle \"$@\"\n";
}

std::string fish_completion(const CommandInfo& program) {
  std::string text = "# Completion of heddle for fish; written by 'heddle generate completion fish'.\n";
  for (const CommandInfo& command : program.commands) {
    const std::string name = own_name(command);
    text += fmt::format("complete -c heddle -n __fish_use_subcommand -f -a {} -d {}\n", name,
                        quoted(command.description, ""));
    const std::string here = fmt::format("complete -c heddle -n '__fish_seen_subcommand_from {}'", name);
    for (const CommandInfo& below : command.commands)
      text += fmt::format("{} -a {} -d {}\n", here, below.name.substr(below.name.rfind(' ') + 1),
                          quoted(below.description, ""));
    if (std::find(kOfWorkloads.begin(), kOfWorkloads.end(), name) != kOfWorkloads.end())
      text += fmt::format("{} -a \"(heddle list 2> /dev/null | cut -d ' ' -f 1)\"\n", here);
    for (const OptionInfo& option : command.options) {
      if (option.positional) continue;
      std::string line = here;
      for (const std::string& one : option.names)
        line += one.starts_with("--") ? " -l " + one.substr(2) : " -s " + one.substr(1);
      if (option.takes_value) line += " -r";
      for (const Listed& listed : kListed) {
        if (option.names.back() == listed.option)
          line += fmt::format(" -f -a \"(heddle {} 2> /dev/null | cut -d ' ' -f 1)\"", listed.command);
      }
      text += fmt::format("{} -d {}\n", line, quoted(option.description, ""));
    }
  }
  return text;
}

}  // namespace

std::string completion(const CommandInfo& program, const std::string& shell) {
  if (shell == "bash") return bash_completion(program);
  if (shell == "zsh") return zsh_completion(program);
  if (shell == "fish") return fish_completion(program);
  throw UserError(fmt::format("completion {}: it must be bash, zsh or fish", shell));
}

}  // namespace heddle::cli
