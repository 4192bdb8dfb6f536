#include "session/phase_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>

#include "base/diagnostics.h"

namespace heddle::session {

runtime::Amount parse_amount(const char* option, const std::string& text) {
  runtime::Amount amount;
  if (text.empty()) return amount;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount.value);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (error != std::errc() || (!unit.empty() && unit != "instructions" && unit != "cycles") || amount.value == 0) {
    throw UserError(fmt::format("{} {}: must be a number from 1, followed by 'cycles' if it is not warp instructions",
                                option, text));
  }
  amount.unit = unit == "cycles" ? runtime::Amount::Unit::cycles : runtime::Amount::Unit::instructions;
  return amount;
}

runtime::Phases PhaseOptions::phases() const {
  runtime::Phases phases;
  phases.first_launch = first_launch;
  phases.skip = skip;
  phases.warmup = parse_amount("--warmup", warmup);
  phases.window = parse_amount("--window", window);
  phases.kernels = kernels;
  return phases;
}

PhaseOptions to_options(const runtime::Phases& phases) {
  const auto text = [](const runtime::Amount& amount) {
    if (amount.value == 0) return std::string();
    return fmt::format("{}{}", amount.value, amount.unit == runtime::Amount::Unit::cycles ? "cycles" : "");
  };
  return {phases.first_launch,     phases.skip,   text(phases.warmup), text(phases.window),
          !phases.kernels.empty(), phases.kernels};
}

void add_phase_options(CLI::App& command, PhaseOptions& options) {
  command.add_option("--start-kernel", options.first_launch,
                     "First launch to time, counted from 0; those before are executed without timing");
  command.add_option("--skip", options.skip,
                     "Then execute this many warp instructions without timing, in whole blocks");
  command.add_option("--warmup", options.warmup,
                     "Time but do not count this many warp instructions, or core cycles if it ends in 'cycles'");
  command.add_option("--window", options.window,
                     "Count this many, then start no more timed blocks and execute the rest without timing");
  command
      .add_option_function<std::vector<std::string>>(
          "--kernels",
          [&options](const std::vector<std::string>& given) {
            options.kernel_lines = true;
            options.kernels = given.empty() ? "" : given.front();
          },
          "Print a line per kernel launch; with a regular expression, time only kernels whose name it finds")
      ->expected(0, 1)
      ->type_name("[REGEX]");
}

std::string write_phase_options(const PhaseOptions& options) {
  std::string text;
  if (options.first_launch != 0) text += fmt::format("--start-kernel={}\n", options.first_launch);
  if (options.skip != 0) text += fmt::format("--skip={}\n", options.skip);
  if (!options.warmup.empty()) text += fmt::format("--warmup={}\n", options.warmup);
  if (!options.window.empty()) text += fmt::format("--window={}\n", options.window);
  if (options.kernel_lines)
    text += options.kernels.empty() ? "--kernels\n" : fmt::format("--kernels={}\n", options.kernels);
  return text;
}

}  // namespace heddle::session
