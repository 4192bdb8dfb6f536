// Holds a results database open while many short processes write to it.
//
// SQLite writes its log back, waits for the disk and deletes the log whenever the last connection closes, and makes it
// anew for the next one, for which others wait meanwhile. With runs of a few milliseconds that costs as much as they
// do. So a process of its own has the database open for as long as the keeper lives; the process that starts the runs
// cannot do it, because a connection does not survive a fork.
#pragma once

#include <sys/types.h>

#include <string>

namespace heddle::cli {

class DatabaseKeeper {
 public:
  /// A database that cannot be opened is not complained about here: whoever writes to it will.
  explicit DatabaseKeeper(const std::string& database);
  ~DatabaseKeeper();
  DatabaseKeeper(const DatabaseKeeper&) = delete;
  DatabaseKeeper& operator=(const DatabaseKeeper&) = delete;

  /// To be called in other children of this process, which would keep the keeper alive if this process died.
  void forget();

 private:
  int alive_ = -1;  ///< closed when the keeper shall end, by whatever means
  pid_t process_ = -1;
};

}  // namespace heddle::cli
