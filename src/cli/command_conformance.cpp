// heddle conformance: does every instruction compute what a real GPU computed?
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/conformance.h"

namespace heddle::cli {

void add_conformance(CLI::App& app, Action& action) {
  auto folder = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("conformance", "Check instructions against results recorded on a real GPU");
  command->add_option("folder", *folder, "Folder with manifest.csv, GROUP.ptx and GROUP.golden")->required();
  command->callback([folder, &action] {
    action = [folder] {
      const ConformanceResult result = run_conformance(*folder);
      for (const ConformanceFailure& failure : result.failures)
        fmt::print("FAILED {}/{}: {}\n", failure.group, failure.kernel, failure.reason);
      fmt::print("{} passed, {} failed\n", result.passed, result.failures.size());
      return result.failures.empty() ? kSuccess : kFailure;
    };
  });
}

}  // namespace heddle::cli
