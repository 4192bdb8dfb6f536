// --check: what is looked for in programs, and what is said about it at the end.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "results/record.h"
#include "runtime/device.h"

namespace CLI {  // NOLINT(readability-identifier-naming): as CLI11 names it
class App;
}

namespace heddle::session {

/// Declares --check.
void add_check_option(CLI::App& command, std::string& check);
/// "memory,race,sync", any of them, or "all"; empty: nothing. Throws UserError.
[[nodiscard]] exec::CheckKinds parse_checks(const std::string& text);
/// "checks of the program found 2 faults".
[[nodiscard]] std::string summary_of(const runtime::CheckReport& report);
/// What was found on a device, for the record of a run.
void add_findings(const runtime::Device& device, results::RunOutcome& outcome);
/// Prints what was found on the devices, or that there is nothing, if anything was looked for. Returns how many faults.
std::uint64_t print_findings(const std::vector<const runtime::Device*>& devices, const std::string& check,
                             std::FILE* out = stderr);

}  // namespace heddle::session
