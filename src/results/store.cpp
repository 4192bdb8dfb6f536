#include "results/store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "results/is_count.h"
#include "results/schema.h"

namespace heddle::results {
namespace {

/// The tables with rows of a run; the first column of each is the run.
constexpr std::array kTablesOfRuns{"kernels", "applications", "series", "tags", "lines", "findings"};

std::string now_text() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now).count() % 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, milliseconds);
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// When a process started, in ticks since boot; empty if there is none. A process number is used again, this is not.
std::string process_start(std::int64_t pid) {
  std::ifstream in(fmt::format("/proc/{}/stat", pid));
  std::string line;
  if (!std::getline(in, line)) return "";
  const std::size_t end_of_name = line.rfind(')');  // the name itself may hold spaces and brackets
  if (end_of_name == std::string::npos) return "";
  std::istringstream rest(line.substr(end_of_name + 1));
  std::string field;
  constexpr int kFieldsBeforeStart = 20;
  for (int i = 0; i < kFieldsBeforeStart; ++i) rest >> field;
  return field;
}

std::string json_of(const std::vector<std::uint64_t>& values) { return nlohmann::json(values).dump(); }

}  // namespace

std::string default_database() {
  if (const char* chosen = std::getenv("HEDDLE_DB"); chosen != nullptr && *chosen != '\0')
    return std::string_view(chosen) == "none" ? "" : chosen;
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data != '\0')
    return std::string(data) + "/heddle/results.db";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return std::string(home) + "/.local/share/heddle/results.db";
  return "";
}

Store::Store(const std::string& path) : database_(path, Database::Access::write) { bring_up_to_date(database_); }

bool Store::taken(const std::string& id) {
  // Whether a process on another machine lives is not known here: after a day it is no longer waited for.
  Statement same(database_,
                 "SELECT status, host, pid, process_start, started > strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 day') "
                 "FROM runs WHERE identity = ? AND status IN ('passed', 'running')");
  same.bind(1, id);
  while (same.step()) {
    if (same.text(0) == "passed") return true;
    if (same.text(1) != host_name()) {
      if (same.integer(4) != 0) return true;
      continue;
    }
    const std::string start = process_start(same.integer(2));
    if (!start.empty() && start == same.text(3)) return true;
  }
  return false;
}

std::optional<std::int64_t> Store::begin_unless_taken(const RunDescription& run) {
  Transaction transaction(database_);
  if (taken(identity(run))) return std::nullopt;
  const std::int64_t number = insert(run);
  transaction.commit();
  return number;
}

std::int64_t Store::begin(const RunDescription& run) {
  Transaction transaction(database_);
  const std::int64_t number = insert(run);
  transaction.commit();
  return number;
}

std::int64_t Store::insert(const RunDescription& run) {
  nlohmann::json configuration(run.configuration);
  if (!run.path.empty()) configuration["program"] = run.path;
  if (!run.reads.empty()) configuration["reads"] = nlohmann::json(run.reads).dump();
  const std::string text = configuration.dump();
  const std::string configuration_hash = hash(text);
  const std::string started = now_text();
  const std::string id = identity(run);
  // The same run twice in one millisecond by one process would need a counter.
  static std::uint64_t count = 0;
  const std::string key = hash(fmt::format("{}\n{}\n{}\n{}\n{}", id, started, host_name(), getpid(), count++));
  Statement(database_, "INSERT OR IGNORE INTO configurations VALUES (?, ?)")
      .bind(1, configuration_hash)
      .bind(2, text)
      .run();
  Statement row(database_,
                "INSERT INTO runs (key, identity, status, started, host, pid, process_start, workload, size, elements, "
                "seed, mode, program, gpu, design, changes, configuration, version, threads) "
                "VALUES (?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  row.bind(1, key).bind(2, id).bind(3, started).bind(4, host_name()).bind(5, std::int64_t{getpid()});
  row.bind(6, process_start(getpid())).bind(7, run.workload).bind(8, run.size);
  row.bind(9, static_cast<std::int64_t>(run.elements)).bind(10, static_cast<std::int64_t>(run.seed));
  row.bind(11, run.mode).bind(12, hash(run.program)).bind(13, run.gpu).bind(14, run.design);
  row.bind(15, nlohmann::json(run.changes).dump()).bind(16, configuration_hash).bind(17, run.version);
  row.bind(18, std::int64_t{run.threads}).run();
  return database_.last_row();
}

namespace {

struct Sum {
  std::int64_t launches = 0;
  std::int64_t cycles = 0;
  std::int64_t warp_instructions = 0;
  std::int64_t thread_instructions = 0;
  std::map<std::string, std::uint64_t> counters;
  std::map<std::string, std::int64_t> known;  ///< launches that have the counter

  void add(const KernelRecord& kernel) {
    ++launches;
    cycles += static_cast<std::int64_t>(kernel.cycles);
    warp_instructions += static_cast<std::int64_t>(kernel.warp_instructions);
    thread_instructions += static_cast<std::int64_t>(kernel.thread_instructions);
    for (const auto& [name, value] : kernel.counters.all()) {
      // Counters that are a maximum say so in their name.
      const bool most = name.rfind("most_") != std::string::npos && name.rfind("most_") > name.rfind('.');
      counters[name] = most ? std::max(counters[name], value) : counters[name] + value;
      ++known[name];
    }
  }

  /// The counters that every launch has: a sum over some of them would say less than it seems to.
  [[nodiscard]] std::map<std::string, std::uint64_t> complete() const {
    std::map<std::string, std::uint64_t> all = counters;
    std::erase_if(all, [this](const auto& entry) { return known.at(entry.first) != launches; });
    return all;
  }
};

/// Counters as whole numbers, other figures as they are.
std::string statistics_text(const std::map<std::string, double>& statistics) {
  nlohmann::json all = nlohmann::json::object();
  for (const auto& [name, value] : statistics) {
    if (is_count(name)) {
      all[name] = static_cast<std::int64_t>(value);
    } else {
      all[name] = value;
    }
  }
  return all.dump();
}

void write_applications(Database& database, std::int64_t run, const RunOutcome& outcome,
                        const std::map<std::string, Sum>& sums) {
  Statement insert(database, "INSERT INTO applications VALUES (?, ?, ?, ?, ?, ?, ?)");
  for (const auto& [name, sum] : sums) {
    std::map<std::string, std::uint64_t> counters = sum.complete();
    std::int64_t cycles = sum.cycles;
    for (const ApplicationRecord& record : outcome.applications) {
      if (record.name != name) continue;
      cycles = static_cast<std::int64_t>(record.cycles);
      for (const auto& [path, value] : record.counters) counters[path] = value;
    }
    insert.bind(1, run).bind(2, name).bind(3, sum.launches).bind(4, cycles).bind(5, sum.warp_instructions);
    insert.bind(6, sum.thread_instructions).bind(7, nlohmann::json(counters).dump()).run();
  }
}

void write_kernels(Database& database, std::int64_t run, const RunOutcome& outcome) {
  Statement insert(database, "INSERT INTO kernels VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  std::map<std::string, Sum> applications;
  std::int64_t number = 0;
  for (const KernelRecord& kernel : outcome.kernels) {
    applications[kernel.application].add(kernel);
    // A counter that cannot be told apart from another kernel's is unknown, not zero.
    auto values = nlohmann::json::array();
    const std::vector<std::string>& names = kernel.counters.names();
    const std::vector<std::uint64_t> numbers = kernel.counters.values();
    std::size_t next = 0;  // both are in alphabetical order
    for (const auto& [name, total] : outcome.statistics) {
      while (next < names.size() && names[next] < name) ++next;
      const bool known = next < names.size() && names[next] == name;
      values.push_back(known ? nlohmann::json(numbers[next]) : nlohmann::json());
    }
    insert.bind(1, run).bind(2, number++).bind(3, kernel.name).bind(4, kernel.application);
    insert.bind(5, static_cast<std::int64_t>(kernel.stream)).bind(6, kernel.grid).bind(7, kernel.block);
    insert.bind(8, static_cast<std::int64_t>(kernel.cycles));
    insert.bind(9, static_cast<std::int64_t>(kernel.warp_instructions));
    insert.bind(10, static_cast<std::int64_t>(kernel.thread_instructions)).bind(11, kernel.host_seconds);
    insert.bind(12, values.dump()).run();
  }
  write_applications(database, run, outcome, applications);
}

void write_lines(Database& database, std::int64_t run, const std::vector<LineRecord>& lines) {
  Statement insert(database, "INSERT INTO lines VALUES (?, ?, ?, ?, ?, ?, ?)");
  std::int64_t number = 0;
  for (const LineRecord& line : lines) {
    insert.bind(1, run).bind(2, number++).bind(3, line.kernel).bind(4, line.file).bind(5, std::int64_t{line.line});
    insert.bind(6, line.text).bind(7, nlohmann::json(line.counts).dump()).run();
  }
}

void write_findings(Database& database, std::int64_t run, const std::vector<FindingRecord>& findings) {
  Statement insert(database, "INSERT INTO findings VALUES (?, ?, ?, ?, ?, ?, ?)");
  std::int64_t number = 0;
  for (const FindingRecord& finding : findings) {
    insert.bind(1, run).bind(2, number++).bind(3, finding.kind).bind(4, finding.kernel).bind(5, finding.place);
    insert.bind(6, finding.text).bind(7, static_cast<std::int64_t>(finding.times)).run();
  }
}

}  // namespace

void Store::finish(std::int64_t run, const RunOutcome& outcome) {
  Transaction transaction(database_);
  write_kernels(database_, run, outcome);
  Statement series(database_, "INSERT INTO series VALUES (?, ?, ?, ?)");
  for (const SeriesRecord& one : outcome.series)
    series.bind(1, run).bind(2, one.counter).bind(3, json_of(one.ends)).bind(4, json_of(one.growth)).run();
  write_lines(database_, run, outcome.lines);
  write_findings(database_, run, outcome.findings);
  const RunTotals all = totals_of(outcome);
  Statement update(database_,
                   "UPDATE runs SET status = ?, ended = ?, detail = ?, host_seconds = ?, launches = ?, cycles = ?, "
                   "warp_instructions = ?, thread_instructions = ?, statistics = ? WHERE id = ?");
  update.bind(1, to_string(outcome.status)).bind(2, now_text()).bind(3, outcome.detail).bind(4, outcome.host_seconds);
  update.bind(5, all.launches);
  if (all.cycles != 0) {
    update.bind(6, all.cycles);
  } else {
    update.bind_null(6);  // not timed
  }
  update.bind(7, all.warp_instructions).bind(8, all.thread_instructions);
  update.bind(9, statistics_text(outcome.statistics)).bind(10, run).run();
  transaction.commit();
}

std::optional<std::pair<Status, std::string>> Store::newest(const std::string& identity, std::int64_t process) {
  Statement row(database_,
                "SELECT status, coalesce(detail, '') FROM runs WHERE identity = ? AND pid = ? AND host = ? "
                "ORDER BY id DESC LIMIT 1");
  row.bind(1, identity).bind(2, process).bind(3, host_name());
  if (!row.step()) return std::nullopt;
  for (const Status status : {Status::running, Status::passed, Status::wrong, Status::error, Status::interrupted}) {
    if (row.text(0) == to_string(status)) return std::pair(status, row.text(1));
  }
  return std::pair(Status::killed, row.text(1));
}

void Store::finish_without_figures(const std::string& identity, std::int64_t process, const std::string& detail) {
  Statement(database_,
            "UPDATE runs SET status = 'error', detail = ? WHERE identity = ? AND pid = ? AND host = ? AND status = "
            "'running'")
      .bind(1, detail)
      .bind(2, identity)
      .bind(3, process)
      .bind(4, host_name())
      .run();
}

unsigned Store::mark_killed() {
  std::vector<std::int64_t> gone;
  {
    Statement running(database_, "SELECT id, pid, process_start FROM runs WHERE status = 'running' AND host = ?");
    running.bind(1, host_name());
    while (running.step()) {
      const std::string start = process_start(running.integer(1));
      if (start.empty() || start != running.text(2)) gone.push_back(running.integer(0));
    }
  }
  if (gone.empty()) return 0;
  Transaction transaction(database_);
  // Between the look and now the run may have ended in the ordinary way.
  Statement mark(database_,
                 "UPDATE runs SET status = 'killed', detail = 'its process ended without a word' "
                 "WHERE id = ? AND status = 'running'");
  for (const std::int64_t run : gone) mark.bind(1, run).run();
  transaction.commit();
  return static_cast<unsigned>(gone.size());
}

namespace {

/// The columns that a table has in both databases, without `leave`: an older one has fewer.
std::string common_columns(const Database& database, const std::string& table, const std::string& leave) {
  std::string columns;
  Statement info(database,
                 "SELECT name FROM pragma_table_info(?1, 'main') WHERE name != ?2 AND name IN "
                 "(SELECT name FROM pragma_table_info(?1, 'other'))");
  info.bind(1, table).bind(2, leave);
  while (info.step()) columns += (columns.empty() ? "" : ", ") + info.text(0);
  return columns;
}

}  // namespace

unsigned Store::merge(const std::string& other) {
  require_known_schema(Database(other, Database::Access::read));
  Statement(database_, "ATTACH DATABASE ? AS other").bind(1, other).run();
  unsigned merged = 0;
  {
    Transaction transaction(database_);
    std::vector<std::int64_t> missing;
    {
      Statement find(database_,
                     "SELECT id FROM other.runs WHERE key NOT IN (SELECT key FROM main.runs) AND status != 'running' "
                     "ORDER BY started, id");
      while (find.step()) missing.push_back(find.integer(0));
    }
    database_.execute("INSERT OR IGNORE INTO main.configurations SELECT * FROM other.configurations");
    const std::string columns = common_columns(database_, "runs", "id");
    for (const std::int64_t id : missing) {
      Statement(database_, fmt::format("INSERT INTO main.runs ({0}) SELECT {0} FROM other.runs WHERE id = ?", columns))
          .bind(1, id)
          .run();
      const std::int64_t here = database_.last_row();
      for (const char* table : kTablesOfRuns) {
        const std::string rest = common_columns(database_, table, "run");
        if (rest.empty()) continue;  // the older database has no such table
        Statement(database_, fmt::format("INSERT INTO main.{0} (run, {1}) SELECT ?, {1} FROM other.{0} WHERE run = ?",
                                         table, rest))
            .bind(1, here)
            .bind(2, id)
            .run();
      }
      ++merged;
    }
    transaction.commit();
  }
  database_.execute("DETACH DATABASE other");
  return merged;
}

void Store::tag(std::int64_t run, const std::string& name) {
  const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == ':';
  });
  if (!plain) throw UserError(fmt::format("tag '{}': it must be of letters, digits and _ - . :", name));
  Transaction transaction(database_);
  Statement(database_, "INSERT OR IGNORE INTO tags VALUES (?, ?)").bind(1, run).bind(2, name).run();
  transaction.commit();
}

void Store::untag(std::int64_t run, const std::string& name) {
  Transaction transaction(database_);
  Statement(database_, "DELETE FROM tags WHERE run = ? AND tag = ?").bind(1, run).bind(2, name).run();
  transaction.commit();
}

void Store::note(std::int64_t run, const std::string& text) {
  Transaction transaction(database_);
  Statement update(database_, "UPDATE runs SET note = ? WHERE id = ?");
  if (text.empty()) {
    update.bind_null(1);
  } else {
    update.bind(1, text);
  }
  update.bind(2, run).run();
  transaction.commit();
}

void Store::erase(const std::vector<std::int64_t>& runs) {
  Transaction transaction(database_);
  for (const std::int64_t run : runs) {
    {
      Statement status(database_, "SELECT status FROM runs WHERE id = ?");
      if (status.bind(1, run).step() && status.text(0) == "running")
        throw UserError(fmt::format("run {} is still running: it cannot be deleted; nothing was", run));
    }
    for (const char* table : kTablesOfRuns)
      Statement(database_, fmt::format("DELETE FROM {} WHERE run = ?", table)).bind(1, run).run();
    Statement(database_, "DELETE FROM runs WHERE id = ?").bind(1, run).run();
  }
  database_.execute("DELETE FROM configurations WHERE hash NOT IN (SELECT configuration FROM runs)");
  transaction.commit();
}

std::unique_ptr<Database> open_results(const std::string& path) {
  auto database = std::make_unique<Database>(path, Database::Access::read);
  require_known_schema(*database);
  if (schema_of(*database) == kSchema) return database;
  try {
    const Store upgraded(path);
  } catch (const DatabaseError&) {
    // It may not be written: a copy is brought up to date.
    auto copy = database->copy_in_memory();
    bring_up_to_date(*copy);
    return copy;
  }
  return std::make_unique<Database>(path, Database::Access::read);
}

std::set<std::string> passed_identities(const Database& database) {
  std::set<std::string> found;
  Statement select(database, "SELECT DISTINCT identity FROM runs WHERE status = 'passed'");
  while (select.step()) found.insert(select.text(0));
  return found;
}

}  // namespace heddle::results
