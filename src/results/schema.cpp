#include "results/schema.h"

#include <fmt/format.h>

#include <array>

namespace heddle::results {
namespace {

// `statistics` maps counters to totals; `counters` of a kernel lists the same counters' values in the order of their
// names. `key` names a run in whatever database it is.
constexpr const char* kFirstTables = R"(
CREATE TABLE IF NOT EXISTS configurations (hash TEXT PRIMARY KEY, parameters TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS runs (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, identity TEXT NOT NULL, status TEXT NOT NULL,
  started TEXT NOT NULL, ended TEXT, host TEXT NOT NULL, pid INTEGER NOT NULL, process_start TEXT NOT NULL,
  workload TEXT NOT NULL, size TEXT NOT NULL, elements INTEGER NOT NULL, seed INTEGER NOT NULL, mode TEXT NOT NULL,
  program TEXT NOT NULL, gpu TEXT NOT NULL, design TEXT NOT NULL, changes TEXT NOT NULL,
  configuration TEXT NOT NULL REFERENCES configurations(hash), version TEXT NOT NULL, threads INTEGER NOT NULL,
  detail TEXT, host_seconds REAL, launches INTEGER, cycles INTEGER, warp_instructions INTEGER,
  thread_instructions INTEGER, statistics TEXT);
CREATE INDEX IF NOT EXISTS runs_identity ON runs(identity);
CREATE INDEX IF NOT EXISTS runs_running ON runs(status) WHERE status = 'running';
CREATE TABLE IF NOT EXISTS kernels (
  run INTEGER NOT NULL REFERENCES runs(id), number INTEGER NOT NULL, name TEXT NOT NULL, application TEXT NOT NULL,
  stream INTEGER NOT NULL, grid TEXT NOT NULL, block TEXT NOT NULL, cycles INTEGER NOT NULL,
  warp_instructions INTEGER NOT NULL, thread_instructions INTEGER NOT NULL, host_seconds REAL NOT NULL, counters TEXT,
  PRIMARY KEY (run, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS applications (
  run INTEGER NOT NULL REFERENCES runs(id), application TEXT NOT NULL, launches INTEGER NOT NULL,
  cycles INTEGER NOT NULL, warp_instructions INTEGER NOT NULL, thread_instructions INTEGER NOT NULL,
  statistics TEXT, PRIMARY KEY (run, application)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS series (
  run INTEGER NOT NULL REFERENCES runs(id), counter TEXT NOT NULL, ends TEXT NOT NULL, growth TEXT NOT NULL,
  PRIMARY KEY (run, counter)) WITHOUT ROWID;
)";

/// Tags and notes, which people give to runs.
constexpr const char* kTagsAndNotes = R"(
ALTER TABLE runs ADD COLUMN note TEXT;
CREATE TABLE tags (run INTEGER NOT NULL REFERENCES runs(id), tag TEXT NOT NULL, PRIMARY KEY (run, tag)) WITHOUT ROWID;
)";

/// The profile by line, and what checks found. `counts` maps what is counted to how much.
constexpr const char* kLinesAndFindings = R"(
CREATE TABLE lines (
  run INTEGER NOT NULL REFERENCES runs(id), number INTEGER NOT NULL, kernel TEXT NOT NULL, file TEXT NOT NULL,
  line INTEGER NOT NULL, text TEXT NOT NULL, counts TEXT NOT NULL, PRIMARY KEY (run, number)) WITHOUT ROWID;
CREATE TABLE findings (
  run INTEGER NOT NULL REFERENCES runs(id), number INTEGER NOT NULL, kind TEXT NOT NULL, kernel TEXT NOT NULL,
  place TEXT NOT NULL, text TEXT NOT NULL, times INTEGER NOT NULL, PRIMARY KEY (run, number)) WITHOUT ROWID;
)";

/// What makes schema N + 1 of schema N. Only ever added to: databases of all ages are out there.
constexpr std::array<const char*, kSchema> kMigrations{kFirstTables, kTagsAndNotes, kLinesAndFindings};

}  // namespace

int schema_of(const Database& database) {
  Statement version(database, "PRAGMA user_version");
  version.step();
  return static_cast<int>(version.integer(0));
}

void require_known_schema(const Database& database) {
  const int schema = schema_of(database);
  if (schema == 0)
    throw DatabaseError(
        fmt::format("{}: this is not a results database; choose another file with --db", database.path()));
  if (schema > kSchema)
    throw DatabaseError(fmt::format(
        "{}: a newer Heddle has written this database (format {}; this program knows up to {}); use that one, or "
        "choose another file with --db",
        database.path(), schema, kSchema));
}

void bring_up_to_date(Database& database) {
  if (schema_of(database) == kSchema) return;
  Transaction transaction(database);
  const int schema = schema_of(database);  // another process may have been quicker
  if (schema == 0) {
    // A statement that is not stepped to its end keeps its view of the file open: so it is closed before the next.
    Statement tables(database, "SELECT count(*) FROM sqlite_master WHERE type = 'table'");
    tables.step();
    if (tables.integer(0) != 0) require_known_schema(database);
  } else {
    require_known_schema(database);
  }
  for (auto next = static_cast<std::size_t>(schema); next < kMigrations.size(); ++next)
    database.execute(kMigrations.at(next));
  database.execute(fmt::format("PRAGMA user_version = {}", kSchema));
  transaction.commit();
}

}  // namespace heddle::results
