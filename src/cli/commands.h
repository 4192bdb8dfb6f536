// The `heddle` command: one file per subcommand, each adds itself to the parser.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): as CLI11 names it
class App;
}

namespace heddle::session {}

namespace heddle::cli {

using namespace session;  // NOLINT(google-build-using-namespace): options, machines and summaries, which libcudart has
                          // as well

inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;    ///< a run failed, or a check did
inline constexpr int kUsage = 2;      ///< the command line or an input is wrong
inline constexpr int kInternal = 70;  ///< a bug in Heddle
inline constexpr int kInterrupted = 130;

/// What the chosen subcommand does; the result is the exit status.
using Action = std::function<int()>;

void add_run(CLI::App& app, Action& action);
void add_mix(CLI::App& app, Action& action);
void add_exec(CLI::App& app, Action& action);
void add_profile(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);
void add_characterise(CLI::App& app, Action& action);
void add_disasm(CLI::App& app, Action& action);
void add_conformance(CLI::App& app, Action& action);
void add_gpus(CLI::App& app, Action& action);
void add_designs(CLI::App& app, Action& action);
void add_results(CLI::App& app, Action& action);
void add_sweep(CLI::App& app, Action& action);
void add_reproduce(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_plot(CLI::App& app, Action& action);
void add_generate(CLI::App& app, Action& action);
void add_coverage(CLI::App& app, Action& action);
void add_validate(CLI::App& app, Action& action);
void add_params(CLI::App& app, Action& action);
void add_stats(CLI::App& app, Action& action);
void add_area(CLI::App& app, Action& action);

int main(int argc, char** argv);

}  // namespace heddle::cli
