#include "cli/database_keeper.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "results/store.h"

namespace heddle::cli {
namespace {

/// Returns when the other end is closed.
void wait_for_end(int end) {
  char ignored = 0;
  while (read(end, &ignored, 1) > 0) {
  }
}

void keep(const std::string& database, int end) {
  try {
    results::Store store(database);
    // The first look makes the connection part of the log.
    (void)results::Statement(store.database(), "SELECT count(*) FROM runs WHERE status = 'running'").step();
    wait_for_end(end);
  } catch (const results::DatabaseError&) {
    wait_for_end(end);
  }
}

}  // namespace

DatabaseKeeper::DatabaseKeeper(const std::string& database) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return;
  process_ = fork();
  if (process_ == 0) {
    close(ends[1]);
    std::signal(SIGINT, SIG_IGN);  // the terminal sends it to all; the parent decides
    std::signal(SIGTERM, SIG_DFL);
    keep(database, ends[0]);
    _exit(0);
  }
  close(ends[0]);
  alive_ = ends[1];
}

DatabaseKeeper::~DatabaseKeeper() {
  forget();
  if (process_ > 0) waitpid(process_, nullptr, 0);
}

void DatabaseKeeper::forget() {
  if (alive_ >= 0) close(alive_);
  alive_ = -1;
}

}  // namespace heddle::cli
