// SQLite with errors a person can act on. One Database is one connection; it belongs to the process that opened it and
// must not be used across a fork (SQLite keeps its locks per process).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostics.h"

struct sqlite3;
struct sqlite3_stmt;

namespace heddle::results {

/// The database cannot be read or written. The message says what to do.
class DatabaseError : public UserError {
 public:
  using UserError::UserError;
};

class Database;

/// A prepared statement. Parameters and columns count from 1 and from 0, as in SQLite.
class Statement {
 public:
  Statement(const Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int parameter, std::string_view text);
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, double value);
  Statement& bind_null(int parameter);
  /// Makes ready for other values.
  void reset();
  /// True while there is a row.
  bool step();
  /// Runs to the end and makes ready for other values.
  void run();

  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] bool is_null(int column) const;

 private:
  const Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

class Database {
 public:
  enum class Access { read, write };
  /// Opens a file; `write` makes it and its folder if need be.
  Database(const std::string& path, Access access);
  /// The same on a file system of this kind; see network_file_system().
  Database(const std::string& path, Access access, std::string network);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const std::string& sql);
  [[nodiscard]] std::int64_t last_row() const;
  [[nodiscard]] const std::string& path() const { return path_; }
  /// The network file system that the file is on; empty: none.
  [[nodiscard]] const std::string& network() const { return network_; }
  /// The file may only be read, and has a log that cannot be: what was written last is not seen.
  [[nodiscard]] bool lacks_log() const { return lacks_log_; }
  /// A copy that goes away with the object.
  [[nodiscard]] std::unique_ptr<Database> copy_in_memory() const;
  /// Turns a SQLite result code into a message with advice.
  [[noreturn]] void fail(int code, std::string_view doing) const;

 private:
  friend class Statement;
  /// Opens nothing. The public constructor builds on it, so that the destructor runs when that one throws.
  explicit Database(std::string path) : path_(std::move(path)) {}
  void open(const std::string& name, int flags);
  void open_for_writing();
  void open_for_reading();
  std::string path_;
  std::string network_;
  bool lacks_log_ = false;
  sqlite3* handle_ = nullptr;
};

/// The kind of network file system that a file or its folder is on, "NFS" for example; empty: none. SQLite's log does
/// not work there for several machines, so such a database has none and is locked as a whole by each writer.
[[nodiscard]] std::string network_file_system(const std::string& path);
/// The same from the number that the kernel has for it.
[[nodiscard]] std::string network_name(std::uint64_t magic);

/// All or nothing: undone unless commit() was reached.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace heddle::results
