#include "session/recorder.h"

#include <fmt/format.h>

#include <unistd.h>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>

namespace heddle::session {

std::string DatabaseOptions::file() const {
  if (without || path == "none") return "";
  return path.empty() ? results::default_database() : path;
}

void add_database_options(CLI::App& command, DatabaseOptions& options, bool can_do_without) {
  auto* path = command.add_option("--db", options.path,
                                  "Results database; default: $HEDDLE_DB, or heddle/results.db in your data folder");
  if (can_do_without)
    command.add_flag("--no-db", options.without, "Do not record the run in a results database")->excludes(path);
}

void warn_of_network(const std::string& file) {
  const std::string network = file.empty() ? "" : results::network_file_system(file);
  if (!network.empty())
    fmt::print(stderr,
               "note: {} is on a network file system ({}): each writer locks it as a whole; where many write, choose "
               "another place with --db and bring the runs home with 'heddle results merge'\n",
               file, network);
}

Recorder::Recorder(const DatabaseOptions& options, const results::RunDescription& run) : description_(run) {
  const std::string file = options.file();
  if (file.empty()) return;
  warn_of_network(file);
  try {
    store_ = std::make_unique<results::Store>(file);
    run_ = store_->begin(run);
  } catch (const results::DatabaseError& error) {
    if (!options.path.empty()) throw;
    fmt::print(stderr, "warning: the run is not recorded: {}\n", error.what());
    store_.reset();
  }
}

Recorder::Recorder(const DatabaseOptions& options, const results::RunDescription& run, std::int64_t number)
    : description_(run), store_(std::make_unique<results::Store>(options.file())), run_(number) {}

void Recorder::finish(const results::RunOutcome& outcome) {
  if (!store_) return;
  try {
    store_->finish(run_, outcome);
  } catch (const results::DatabaseError& error) {
    const std::string main = store_->database().path();
    const std::string aside =
        (std::filesystem::temp_directory_path() / fmt::format("heddle-unrecorded-{}.db", getpid())).string();
    try {
      results::Store spare(aside);
      spare.finish(spare.begin(description_), outcome);
    } catch (const results::DatabaseError&) {
      throw results::DatabaseError(fmt::format("the run is not recorded: {}", error.what()));
    }
    throw results::DatabaseError(fmt::format(
        "the run is not recorded: {}\nits results are in {}; when there is room again: heddle results merge "
        "{} --db {}",
        error.what(), aside, aside, main));
  }
}

}  // namespace heddle::session
