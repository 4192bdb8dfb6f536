// Writing a run to the results database, and what to do when that does not work.
#pragma once

#include <memory>
#include <string>

#include "results/store.h"

namespace CLI {  // NOLINT(readability-identifier-naming): as CLI11 names it
class App;
}

namespace heddle::session {

struct DatabaseOptions {
  std::string path;  ///< empty: the user's own database
  bool without = false;

  /// The file to use; empty: none.
  [[nodiscard]] std::string file() const;
};

/// Declares --db, and --no-db for commands that can do without.
void add_database_options(CLI::App& command, DatabaseOptions& options, bool can_do_without);

/// Says on the error output if the database is on a network file system, and what that means.
void warn_of_network(const std::string& file);

class Recorder {
 public:
  /// Opens the database and marks the run as started, so that a database that cannot be written is known before the
  /// simulation. Throws DatabaseError if the user named the database; the user's own is done without, with a warning.
  Recorder(const DatabaseOptions& options, const results::RunDescription& run);
  /// For a run that another process has marked as started.
  Recorder(const DatabaseOptions& options, const results::RunDescription& run, std::int64_t number);

  /// Writes what came out. If the database does not take it, the outcome goes to a database of its own in the folder
  /// for temporary files, and the exception says how to bring it home.
  void finish(const results::RunOutcome& outcome);
  /// The run's number; 0 if nothing is recorded.
  [[nodiscard]] std::int64_t run() const { return run_; }

 private:
  results::RunDescription description_;
  std::unique_ptr<results::Store> store_;
  std::int64_t run_ = 0;
};

}  // namespace heddle::session
