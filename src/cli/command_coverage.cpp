// heddle coverage: what is built of each paper.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/experiments.h"
#include "study/mechanism.h"
#include "study/toml_reader.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using study::BuildState;

std::vector<std::string> papers() {
  std::vector<std::string> names;
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(experiment_folder()) / "mechanisms", missing))
    names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<study::Mechanism> mechanisms_of(const std::string& paper) {
  const fs::path file = fs::path(experiment_folder()) / "mechanisms" / (paper + ".toml");
  if (!fs::exists(file))
    throw UserError(fmt::format("there is no paper '{}' (there are: {})", paper, fmt::join(papers(), ", ")));
  return study::parse_mechanisms(read_file(file.string()), file.string());
}

int cover_all() {
  fmt::print("{:<18} {:>6} {:>7} {:>10} {:>4}\n", "paper", "built", "partly", "not built", "all");
  std::map<BuildState, std::size_t> sum;
  for (const std::string& paper : papers()) {
    std::map<BuildState, std::size_t> count;
    const auto mechanisms = mechanisms_of(paper);
    for (const study::Mechanism& one : mechanisms) {
      ++count[one.state];
      ++sum[one.state];
    }
    fmt::print("{:<18} {:>6} {:>7} {:>10} {:>4}\n", paper, count[BuildState::built], count[BuildState::partly],
               count[BuildState::not_built], mechanisms.size());
  }
  fmt::print("{:<18} {:>6} {:>7} {:>10} {:>4}\n", "all", sum[BuildState::built], sum[BuildState::partly],
             sum[BuildState::not_built], sum[BuildState::built] + sum[BuildState::partly] + sum[BuildState::not_built]);
  return kSuccess;
}

int cover(const std::string& paper) {
  for (const study::Mechanism& one : mechanisms_of(paper)) {
    fmt::print("{:<28} {:<10} {}\n", one.id, study::to_string(one.state), one.says);
    if (!one.source.empty()) fmt::print("{:<39} {}, shown by {}\n", "", one.source, one.test);
    if (!one.reason.empty()) fmt::print("{:<39} {}\n", "", one.reason);
  }
  return kSuccess;
}

}  // namespace

void add_coverage(CLI::App& app, Action& action) {
  auto paper = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("coverage", "Show what is built of the mechanisms of each paper");
  command->add_option("paper", *paper, "One paper, mechanism by mechanism; default: a line per paper");
  command->callback([paper, &action] { action = [paper] { return paper->empty() ? cover_all() : cover(*paper); }; });
}

}  // namespace heddle::cli
