// heddle sweep: many runs over axes, those that are not in the database yet.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <thread>

#include "cli/commands.h"
#include "cli/pool_progress.h"
#include "cli/run_pool.h"
#include "cli/slurm.h"

namespace heddle::cli {
namespace {

struct SweepOptions {
  std::string file;
  DatabaseOptions database;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  bool list = false;
  SlurmOptions slurm;
  std::string worker;
};

int sweep(const SweepOptions& options) {
  if (!options.worker.empty()) return slurm_worker(options.worker);
  if (options.file.empty()) throw UserError("a sweep file is missing");
  const study::Sweep sweep = study::read_sweep(options.file);
  const std::vector<PlannedRun> runs = plan(sweep.points);
  const std::string database = options.database.file();
  if (database.empty()) throw UserError("a sweep needs a results database: name one with --db");
  warn_of_network(database);
  const std::vector<PlannedRun> left = missing(runs, database);
  if (options.list) {
    for (const PlannedRun& run : left) {
      fmt::print(
          "{} {}{}\n", name_of_input(run.request), machine_name(run.request.machine),
          run.request.machine.changes.empty() ? "" : fmt::format(" {}", fmt::join(run.request.machine.changes, " ")));
    }
  }
  fmt::print("{}: {} runs, {} in the database, {} to do\n", sweep.name, runs.size(), runs.size() - left.size(),
             left.size());
  std::fflush(stdout);
  if (options.list || left.empty()) return kSuccess;
  const std::string again = fmt::format("heddle sweep {}{}{}", options.file, options.slurm.use ? " --slurm" : "",
                                        options.database.path.empty() ? "" : " --db " + options.database.path);
  if (options.slurm.use) return run_on_slurm(sweep.name, runs, database, options.slurm, again);
  const auto begin = std::chrono::steady_clock::now();
  const PoolResult result = run_all(left, {sweep.name, database, options.jobs, false, "", runs.size() - left.size()});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  fmt::print("{}: {} passed, {} failed in {:.1f} s\n", sweep.name, result.passed, result.failed, seconds);
  return report_pool(result, again);
}

}  // namespace

void add_sweep(CLI::App& app, Action& action) {
  auto options = std::make_shared<SweepOptions>();
  CLI::App* command = app.add_subcommand("sweep", "Run what a sweep file spans and the database does not hold yet");
  command->add_option("file", options->file, "Sweep file (see: docs/sweeps.md)");
  add_database_options(*command, options->database, false);
  command->add_option("--jobs", options->jobs, "Runs at a time")->capture_default_str()->check(CLI::Range(1, 1024));
  command->add_flag("--list", options->list, "Only list what would run");
  auto* slurm = command->add_flag("--slurm", options->slurm.use, "Run on a cluster, as a Slurm job array");
  command
      ->add_option("--batch", options->slurm.batch, "Runs per task of the array; default: so that there are about 100")
      ->needs(slurm)
      ->check(CLI::Range(1, 100000));
  command
      ->add_option("--sbatch", options->slurm.options, "Option for sbatch, e.g. --sbatch=--partition=long; repeatable")
      ->needs(slurm)
      ->allow_extra_args(false);
  command
      ->add_flag("--no-wait", options->slurm.no_wait, "Submit and return; the same command later follows and collects")
      ->needs(slurm);
  command->add_option("--worker", options->worker, "A task of a job array runs its share")->group("");
  command->callback([options, &action] { action = [options] { return sweep(*options); }; });
}

}  // namespace heddle::cli
