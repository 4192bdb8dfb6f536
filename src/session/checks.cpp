#include "session/checks.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <sstream>

#include "base/suggestion.h"
#include "session/summary.h"

namespace heddle::session {

void add_check_option(CLI::App& command, std::string& check) {
  command.add_option(
      "--check", check,
      "Look for faults of the program: memory, race, sync (several with commas), or all; see docs/checks.md");
}

exec::CheckKinds parse_checks(const std::string& text) {
  exec::CheckKinds kinds;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    if (word == "all") {
      kinds = {true, true, true};
    } else if (word == "memory") {
      kinds.memory = true;
    } else if (word == "race") {
      kinds.race = true;
    } else if (word == "sync") {
      kinds.sync = true;
    } else {
      throw UserError(fmt::format("--check {}: there is no check '{}' ({})", text, word,
                                  known_names(word, {"memory", "race", "sync", "all"})));
    }
  }
  if (!text.empty() && !kinds.any()) throw UserError("--check: must be memory, race, sync, several of them, or all");
  return kinds;
}

std::string summary_of(const runtime::CheckReport& report) {
  return fmt::format("checks of the program found {} fault{}", report.total, report.total == 1 ? "" : "s");
}

void add_findings(const runtime::Device& device, results::RunOutcome& outcome) {
  for (const runtime::CheckReport::Finding& finding : device.check_report().findings)
    outcome.findings.push_back({finding.kind, finding.kernel, finding.place, finding.text, finding.times});
}

std::uint64_t print_findings(const std::vector<const runtime::Device*>& devices, const std::string& check,
                             std::FILE* out) {
  if (check.empty()) return 0;
  std::uint64_t total = 0;
  std::size_t number = 0;
  for (const runtime::Device* device : devices) {
    const runtime::CheckReport report = device->check_report();
    total += report.total;
    for (const runtime::CheckReport::Finding& finding : report.findings)
      fmt::print(out, "{}. {}\n", ++number, finding.text);
    if (report.left_out != 0) fmt::print(out, "and {} more at other places\n", grouped(report.left_out));
  }
  if (total == 0) {
    fmt::print(out, "--check {}: nothing found\n", check);
  } else {
    fmt::print(out, "--check {}: {} fault{} at {} place{}\n", check, grouped(total), total == 1 ? "" : "s", number,
               number == 1 ? "" : "s");
  }
  return total;
}

}  // namespace heddle::session
