// The manual page, from what the commands say of themselves.
#include <fmt/format.h>

#include "cli/command_tree.h"

namespace heddle::cli {
namespace {

/// A text in the language of man: dashes and backslashes have a meaning there, and so have dots that begin a line.
std::string in_roff(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\') {
      safe += "\\e";
    } else if (c == '-') {
      safe += "\\-";
    } else if (c == '\n') {
      safe += ' ';
    } else {
      safe += c;
    }
  }
  return safe.starts_with('.') || safe.starts_with('\'') ? "\\&" + safe : safe;
}

std::string manual_of(const OptionInfo& option) {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + in_roff(name);
  if (option.takes_value && !option.positional) names += " VALUE";
  std::string text = fmt::format(".TP\n.B {}\n{}", names, in_roff(option.description));
  if (!option.initial.empty()) text += in_roff(fmt::format(" (default: {})", option.initial));
  return text + "\n";
}

std::string synopsis_of(const CommandInfo& command) {
  std::string text = fmt::format(".B {}\n[OPTIONS]", in_roff(command.name));
  for (const OptionInfo& option : command.options) {
    if (option.positional) text += fmt::format(" [{}]", in_roff(option.names[0]));
  }
  return text + "\n";
}

void add_command(std::string& page, const CommandInfo& command) {
  page +=
      fmt::format(".SS {}\n{}.\n.PP\n{}", in_roff(command.name), in_roff(command.description), synopsis_of(command));
  for (const OptionInfo& option : command.options) page += manual_of(option);
  for (const CommandInfo& below : command.commands) add_command(page, below);
}

constexpr const char* kEnd = R"(.SH ENVIRONMENT
.TP
.B HEDDLE_DB
The results database; "none" records nothing.
.TP
.B HEDDLE_PRESETS
The folder with GPUs, designs and DRAM, instead of the one beside the program.
.TP
.B HEDDLE_EXPERIMENTS
The folder with the experiments of papers, likewise.
.SH FILES
.TP
.B heddle/results.db
in $XDG_DATA_HOME or ~/.local/share: your results database.
.SH EXIT STATUS
0: all went well. 1: a run failed, or a check did. 2: the command line or an input is wrong. 70: an error in Heddle.
130: interrupted.
)";

}  // namespace

std::string manual_page(const CommandInfo& program) {
  std::string page = fmt::format(".TH HEDDLE 1 \"\" \"heddle {}\" \"User Commands\"\n", HEDDLE_VERSION);
  page += ".SH NAME\nheddle \\- a GPU simulator whose memory system is the point\n";
  page += ".SH SYNOPSIS\n.B heddle\nCOMMAND [OPTIONS] [ARGUMENTS]\n";
  page += fmt::format(".SH DESCRIPTION\n{}\n.PP\n", in_roff(program.description));
  page += "It takes PTX, executes it, and times it cycle by cycle on a configurable GPU.\n.SH OPTIONS\n";
  for (const OptionInfo& option : program.options) page += manual_of(option);
  page += ".SH COMMANDS\n";
  for (const CommandInfo& command : program.commands) add_command(page, command);
  return page + kEnd;
}

}  // namespace heddle::cli
