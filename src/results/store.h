// The results database: one SQLite file that any number of processes write to.
//
// A run is two transactions: one row marked `running` before it starts, and everything it found at its end. A process
// that dies in between leaves the row; whoever looks next on the same machine sees that the process is gone and marks
// the run `killed`. Beyond that only people change runs: tags, notes, deletion.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "results/database.h"
#include "results/record.h"

namespace heddle::results {

/// The user's own database: $HEDDLE_DB, else results.db in $XDG_DATA_HOME/heddle or ~/.local/share/heddle. Empty if
/// HEDDLE_DB is "none" or there is no home.
[[nodiscard]] std::string default_database();

class Store {
 public:
  /// Opens for writing, and makes the tables if they are not there; those of an older Heddle are brought up to date.
  explicit Store(const std::string& path);

  /// Marks a run as started; the result is its number.
  std::int64_t begin(const RunDescription& run);
  /// The same, unless that very run has passed or is being run (on another machine: as far as is known); then nothing.
  std::optional<std::int64_t> begin_unless_taken(const RunDescription& run);
  /// Writes all that a run found, at once.
  void finish(std::int64_t run, const RunOutcome& outcome);
  /// What is known of the newest run of this identity that this process began; nothing if there is none.
  [[nodiscard]] std::optional<std::pair<Status, std::string>> newest(const std::string& identity, std::int64_t process);
  /// Marks such a run as failed, if it says that it is still running.
  void finish_without_figures(const std::string& identity, std::int64_t process, const std::string& detail);
  /// Marks what says `running` but whose process on this machine is gone; the result is how many.
  unsigned mark_killed();
  /// Copies the runs of another database that are not here yet; the result is how many.
  unsigned merge(const std::string& other);

  /// Gives a run a tag, or takes it away. Throws UserError for a name that is none.
  void tag(std::int64_t run, const std::string& name);
  void untag(std::int64_t run, const std::string& name);
  /// Gives a run a note instead of the one it had; empty: none.
  void note(std::int64_t run, const std::string& text);
  /// Deletes runs with all that is kept of them: all or none. Throws UserError if one is still running.
  void erase(const std::vector<std::int64_t>& runs);

  [[nodiscard]] Database& database() { return database_; }

 private:
  bool taken(const std::string& id);
  std::int64_t insert(const RunDescription& run);
  Database database_;
};

/// Identities of the runs that ended well (passed).
[[nodiscard]] std::set<std::string> passed_identities(const Database& database);
/// Opens a results database for reading. One of an older Heddle is brought up to date first; where it may not be
/// written, a copy in memory is. Throws DatabaseError.
[[nodiscard]] std::unique_ptr<Database> open_results(const std::string& path);

}  // namespace heddle::results
