#include "results/database.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

namespace heddle::results {
namespace {

/// How long a writer waits for the others. A transaction takes milliseconds; hundreds of them may queue.
constexpr int kBusyMilliseconds = 120'000;

std::string advice(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return "the disk is full: free some space, or choose another place with --db";
    case SQLITE_IOERR:
      return "the disk or the quota may be full: free some space, or choose another place with --db";
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return "it may not be written: change its permissions, or choose another place with --db";
    case SQLITE_CANTOPEN:
      return "the file or its folder cannot be opened: check the path and its permissions";
    case SQLITE_NOTADB:
      return "the file is not a results database: choose another with --db";
    case SQLITE_CORRUPT:
      return "the file is damaged: keep it aside and choose another with --db";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another program holds it for long: try again when that has ended";
    default:
      return "";
  }
}

/// SQLite does not wait in every case (a change of the journal, a recovery of the log): those are tried again.
template <typename Attempt>
int patiently(const Attempt& attempt) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyMilliseconds);
  while (true) {
    const int code = attempt();
    if ((code & 0xff) != SQLITE_BUSY || std::chrono::steady_clock::now() > give_up) return code;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

/// A path as part of a URI: three characters have a meaning there.
std::string in_uri(const std::string& path) {
  std::string text;
  for (const char c : path) text += c == '%' || c == '?' || c == '#' ? fmt::format("%{:02x}", c) : std::string(1, c);
  return text;
}

/// Both the file and its folder, where SQLite keeps its log.
bool can_be_written(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return access(path.c_str(), W_OK) == 0 && access(folder.empty() ? "." : folder.c_str(), W_OK) == 0;
}

}  // namespace

Database::Database(const std::string& path, Access access) : Database(path, access, network_file_system(path)) {}

Database::Database(const std::string& path, Access access, std::string network) : Database(path) {
  network_ = std::move(network);
  if (access == Access::write) {
    open_for_writing();
  } else {
    open_for_reading();
  }
}

void Database::open_for_writing() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) throw DatabaseError(fmt::format("{}: cannot make its folder: {}", path_, error.message()));
  open(path_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  // One probe finds out what a read-only file, a full disk or a foreign file would only say at the first write.
  bool has_log = false;
  {
    Statement mode(*this, "PRAGMA journal_mode");
    has_log = mode.step() && mode.text(0) == "wal";
  }
  if (!network_.empty()) {
    if (has_log) execute("PRAGMA journal_mode = DELETE");
    return;
  }
  if (!has_log) execute("PRAGMA journal_mode = WAL");
  // With WAL, NORMAL loses at most the last transactions when the machine itself stops; never the file.
  execute("PRAGMA synchronous = NORMAL");
}

void Database::open_for_reading() {
  std::error_code error;
  if (!std::filesystem::exists(path_, error))
    throw DatabaseError(fmt::format("{}: there is no such results database", path_));
  open(path_, SQLITE_OPEN_READONLY);
  const int code = patiently(
      [this] { return sqlite3_exec(handle_, "SELECT 1 FROM sqlite_master LIMIT 1", nullptr, nullptr, nullptr); });
  if (code == SQLITE_OK) return;
  // A database in a folder that cannot be written has no place for the shared index of a log: read the file as it is.
  // Anywhere else that would hide what others are writing.
  const int kind = code & 0xff;
  if ((kind != SQLITE_CANTOPEN && kind != SQLITE_READONLY) || can_be_written(path_))
    fail(code, "the results cannot be read");
  sqlite3_close(handle_);
  open(fmt::format("file:{}?immutable=1", in_uri(path_)), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  const auto log = std::filesystem::file_size(path_ + "-wal", error);
  lacks_log_ = !error && log > 0;
}

std::unique_ptr<Database> Database::copy_in_memory() const {
  std::unique_ptr<Database> copy(new Database(path_));
  copy->open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  sqlite3_backup* backup = sqlite3_backup_init(copy->handle_, "main", handle_, "main");
  if (backup != nullptr) {
    sqlite3_backup_step(backup, -1);
    sqlite3_backup_finish(backup);
  }
  if (const int code = sqlite3_errcode(copy->handle_); code != SQLITE_OK)
    copy->fail(code, "the results cannot be copied");
  return copy;
}

void Database::open(const std::string& name, int flags) {
  const int code = sqlite3_open_v2(name.c_str(), &handle_, flags, nullptr);
  if (code != SQLITE_OK) {
    const std::string message = fmt::format("{}: {}; {}", path_, sqlite3_errstr(code), advice(code));
    sqlite3_close(handle_);
    handle_ = nullptr;
    throw DatabaseError(message);
  }
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, kBusyMilliseconds);
}

Database::~Database() { sqlite3_close(handle_); }

void Database::fail(int code, std::string_view doing) const {
  const std::string hint = advice(code);
  throw DatabaseError(
      fmt::format("{}: {}: {}{}{}", path_, doing, sqlite3_errmsg(handle_), hint.empty() ? "" : "; ", hint));
}

void Database::execute(const std::string& sql) {
  const int code = patiently([&] { return sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr); });
  if (code != SQLITE_OK) fail(code, "the results cannot be written or read");
}

std::int64_t Database::last_row() const { return sqlite3_last_insert_rowid(handle_); }

Statement::Statement(const Database& database, std::string_view sql) : database_(database) {
  const int code = patiently([&] {
    return sqlite3_prepare_v2(database.handle_, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr);
  });
  if (code != SQLITE_OK) database.fail(code, "the results cannot be asked");
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::bind(int parameter, std::string_view text) {
  sqlite3_bind_text64(statement_, parameter, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(statement_, parameter, value);
  return *this;
}

Statement& Statement::bind(int parameter, double value) {
  sqlite3_bind_double(statement_, parameter, value);
  return *this;
}

Statement& Statement::bind_null(int parameter) {
  sqlite3_bind_null(statement_, parameter);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  sqlite3_reset(statement_);
  database_.fail(code, "the results cannot be written or read");
}

void Statement::reset() { sqlite3_reset(statement_); }

void Statement::run() {
  while (step()) {
  }
  reset();
}

std::string Statement::text(int column) const {
  const unsigned char* at = sqlite3_column_text(statement_, column);
  if (at == nullptr) return "";
  return {reinterpret_cast<const char*>(at), static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }
double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }
bool Statement::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

Transaction::Transaction(Database& database) : database_(database) { database.execute("BEGIN IMMEDIATE"); }

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const DatabaseError&) {
    // SQLite has rolled back by itself (a full disk does that).
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace heddle::results
