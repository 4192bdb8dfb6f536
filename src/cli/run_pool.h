// Many runs, several at a time, each in a process of its own: what crashes or is killed takes nothing along.
#pragma once

#include <string>
#include <vector>

#include "cli/simulation.h"
#include "session/recorder.h"
#include "study/sweep_file.h"

namespace heddle::cli {

/// A run that a sweep or an experiment wants.
struct PlannedRun {
  RunRequest request;
  std::string identity;
};

[[nodiscard]] RunRequest to_request(const study::Point& point);
/// Resolves and checks a run. The same is asked for again and again, by figures that share runs: what was found once is
/// remembered.
[[nodiscard]] PlannedRun plan_one(RunRequest request);
/// Resolves and checks every point. Throws UserError with the first few that are wrong.
[[nodiscard]] std::vector<PlannedRun> plan(const std::vector<study::Point>& points);
/// Those that have not passed yet, each once.
[[nodiscard]] std::vector<PlannedRun> missing(const std::vector<PlannedRun>& runs, const std::string& database);

struct PoolOptions {
  std::string title;
  std::string database;
  unsigned jobs = 1;
  bool quiet = false;         ///< no progress
  std::string progress_file;  ///< a line per run that ended; empty: none
  std::size_t kept = 0;       ///< runs that the database has already, for the progress
};

struct PoolResult {
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t left = 0;  ///< not started, because the user or the disk stopped it
  std::vector<std::string> messages;
  bool interrupted = false;
  [[nodiscard]] bool complete() const { return failed == 0 && left == 0; }
};

/// Runs them. One that was killed is tried once more; one that another process is at is waited for.
[[nodiscard]] PoolResult run_all(const std::vector<PlannedRun>& runs, const PoolOptions& options);

/// Prints what went wrong and what to do; the result is the exit status.
int report_pool(const PoolResult& result, const std::string& again);

}  // namespace heddle::cli
