// Sweeps on a cluster.
//
// Beside the database there is a folder per sweep, DATABASE.sweeps/NAME-HASH, that every node must see. It holds the
// runs of the current job array (runs.json), its number (job), and for each task a database of its own (a SQLite log
// does not work over network file systems with several writers) and a line per run that ended. Who follows the sweep,
// from whatever shell, copies the databases of tasks that have ended into the main one, and submits again what is
// missing when the array is gone.
#pragma once

#include <string>
#include <vector>

#include "cli/run_pool.h"

namespace heddle::cli {

struct SlurmOptions {
  bool use = false;
  unsigned batch = 0;  ///< 0: chosen
  std::vector<std::string> options;
  bool no_wait = false;
};

/// Submits or finds the array, follows it, collects, submits again what failed (twice at most).
int run_on_slurm(const std::string& name, const std::vector<PlannedRun>& runs, const std::string& database,
                 const SlurmOptions& options, const std::string& again);
/// A task of the array: its share of the runs, one after the other.
int slurm_worker(const std::string& folder);

}  // namespace heddle::cli
