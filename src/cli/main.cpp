#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/check.h"
#include "base/diagnostics.h"
#include "cli/commands.h"
#include "runtime/device.h"

namespace heddle::cli {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw UserError(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) throw UserError(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  return std::move(text).str();
}

int main(int argc, char** argv) {
  CLI::App app{"Heddle runs CUDA programs on GPUs that do not exist yet.", "heddle"};
  app.set_version_flag("--version", HEDDLE_VERSION);
  app.require_subcommand(1);
  Action action;
  add_run(app, action);
  add_mix(app, action);
  add_exec(app, action);
  add_list(app, action);
  add_characterise(app, action);
  add_sweep(app, action);
  add_reproduce(app, action);
  add_results(app, action);
  add_report(app, action);
  add_coverage(app, action);
  add_validate(app, action);
  add_gpus(app, action);
  add_designs(app, action);
  add_params(app, action);
  add_stats(app, action);
  add_area(app, action);
  add_disasm(app, action);
  add_conformance(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kSuccess : kUsage;
  }
  try {
    return action();
  } catch (const runtime::LaunchError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kFailure;
  } catch (const UserError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "heddle: {}\n", error.what());
    return kInternal;
  }
}

}  // namespace heddle::cli
