#include "cli/run_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "cli/commands.h"
#include "cli/database_keeper.h"
#include "cli/exec_program.h"
#include "cli/pool_progress.h"
#include "session/program.h"

namespace heddle::cli {
namespace {

std::atomic<bool> stop_requested{false};
void on_stop(int /*signal*/) { stop_requested = true; }

/// Exit statuses of a run's process.
constexpr int kTaken = 3;        ///< another process is at this very run, or was and it passed
constexpr int kNotRecorded = 4;  ///< the database does not take it

/// Puts a compiled program in the place of this process, with the row that waits for what it does. What it prints is
/// not looked at, but for what it says on standard error.
[[noreturn]] void become_program(const RunRequest& request, const std::string& database, std::int64_t number) {
  session::ExecOptions options;
  options.machine = request.machine;
  options.phases = to_options(request.phases);
  options.reads = request.reads;
  options.quiet = true;
  options.run = number;
  options.database.path = std::filesystem::absolute(database).string();
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  std::signal(SIGINT, SIG_DFL);
  setsid();  // Ctrl-C is for the pool, which ends its runs
  start_program(options, session::split_words(request.program));
}

/// What the process of one run does. Its output goes to the parent.
int run_one(const RunRequest& request, const std::string& database) {
  try {
    const PreparedRun run = prepare(request);
    std::optional<results::Store> open(std::in_place, database);
    results::Store& store = *open;
    const auto number = store.begin_unless_taken(run.description);
    if (!number) return kTaken;
    if (!request.program.empty()) {
      open.reset();
      become_program(request, database, *number);
    }
    const results::RunOutcome outcome = simulate(run, {}, {});
    store.finish(*number, outcome);
    if (outcome.status == results::Status::passed) return kSuccess;
    fmt::print(stderr, "{}", outcome.detail);
    return kFailure;
  } catch (const results::DatabaseError& error) {
    fmt::print(stderr, "{}", error.what());
    return kNotRecorded;
  } catch (const UserError& error) {
    fmt::print(stderr, "{}", error.what());
    return kUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "heddle: {}", error.what());
    return kInternal;
  }
}

std::string name_of(const RunRequest& request) {
  std::string name =
      fmt::format("{} on {}", name_of_input(request), request.machine.functional ? "no GPU" : request.machine.gpu);
  if (!request.machine.design.empty()) name += " with " + request.machine.design;
  for (const std::string& change : request.machine.changes) name += " " + change;
  return name;
}

/// The end of what was written to a file.
std::string contents(int file) {
  constexpr off_t kMost = 4000;
  std::string text(kMost, '\0');
  const off_t end = lseek(file, 0, SEEK_END);
  const ssize_t size = pread(file, text.data(), text.size(), std::max<off_t>(0, end - kMost));
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

class Pool {
 public:
  Pool(const std::vector<PlannedRun>& runs, const PoolOptions& options)
      : runs_(runs),
        options_(options),
        progress_(options.title, runs.size(), options.kept, options.quiet),
        keeper_(options.database) {
    for (std::size_t i = 0; i < runs.size(); ++i) waiting_.push_back(i);
  }

  PoolResult run() {
    stop_requested = false;
    struct sigaction action {};
    action.sa_handler = on_stop;  // without SA_RESTART: waiting for a child ends
    struct sigaction old_interrupt {};
    struct sigaction old_terminate {};
    sigaction(SIGINT, &action, &old_interrupt);
    sigaction(SIGTERM, &action, &old_terminate);
    while (!waiting_.empty() || !busy_.empty() || !elsewhere_.empty()) {
      if (stop_requested) {
        result_.interrupted = true;
        break;
      }
      while (!waiting_.empty() && busy_.size() < options_.jobs) start();
      if (busy_.empty()) look_elsewhere();
      progress_.show(result_.passed, busy_.size() + elsewhere_.size(), result_.failed);
      reap();
    }
    for (const auto& [process, job] : busy_) kill(process, SIGKILL);
    result_.left = waiting_.size() + busy_.size() + elsewhere_.size();
    while (!busy_.empty()) reap();
    if (result_.interrupted) results::Store(options_.database).mark_killed();
    sigaction(SIGINT, &old_interrupt, nullptr);
    sigaction(SIGTERM, &old_terminate, nullptr);
    return std::move(result_);
  }

 private:
  struct Job {
    std::size_t run;
    int output;
    int handle;  ///< readable when the process has ended
  };

  void start() {
    const std::size_t index = waiting_.front();
    waiting_.pop_front();
    const int output = memfd_create("heddle-run", 0);
    const pid_t process = fork();
    if (process == 0) {
      keeper_.forget();
      std::signal(SIGINT, SIG_IGN);  // the terminal sends it to all; the parent decides
      std::signal(SIGTERM, SIG_DFL);
      dup2(output, STDOUT_FILENO);
      dup2(output, STDERR_FILENO);
      const int status = run_one(runs_[index].request, options_.database);
      std::fflush(nullptr);
      _exit(status);
    }
    if (process < 0) throw std::runtime_error("cannot start a process: too many are running");
    busy_[process] = {index, output, static_cast<int>(syscall(SYS_pidfd_open, process, 0))};
  }

  /// Waits until one of ours has ended, a signal comes, or it is time to show progress. The process may have other
  /// children (a Python interpreter's), so only ours are asked for.
  void reap() {
    if (busy_.empty()) return;
    std::vector<pollfd> handles;
    for (const auto& [process, job] : busy_) handles.push_back({job.handle, POLLIN, 0});
    constexpr int kMilliseconds = 200;
    if (poll(handles.data(), handles.size(), kMilliseconds) <= 0) return;
    for (auto at = busy_.begin(); at != busy_.end();) {
      int status = 0;
      if (waitpid(at->first, &status, WNOHANG) == 0) {
        ++at;
        continue;
      }
      const Job job = at->second;
      const pid_t process = at->first;
      at = busy_.erase(at);
      const std::string said = contents(job.output);
      close(job.output);
      close(job.handle);
      if (result_.interrupted) continue;
      if (runs_[job.run].request.program.empty()) {
        ended(job.run, status, said);
      } else {
        program_ended(job.run, process, status, said);
      }
    }
  }

  void ended(std::size_t index, int status, const std::string& said) {
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == kSuccess) return passed(index);
    if (code == kTaken) {
      elsewhere_.push_back(index);
      return;
    }
    if (code == kNotRecorded) {
      // Every other run would meet the same: stop here, keep what is there.
      result_.messages.push_back(said);
      waiting_.push_front(index);
      stop_requested = true;
      return;
    }
    if (code == -1) {
      results::Store(options_.database).mark_killed();
      if (again_.insert(index).second) {
        waiting_.push_back(index);
        return;
      }
    }
    ++result_.failed;
    note(index, "failed");
    result_.messages.push_back(
        fmt::format("{}: {}", name_of(runs_[index].request),
                    code == -1 ? fmt::format("killed by signal {}, twice", WTERMSIG(status)) : said));
  }

  /// What became of a program is in its row: its exit status says less, and may be any.
  void program_ended(std::size_t index, pid_t process, int status, const std::string& said) {
    results::Store store(options_.database);
    const auto row = store.newest(runs_[index].identity, process);
    if (!row) return ended(index, status, said);  // it was not started
    if (row->first == results::Status::passed) return passed(index);
    std::string why = row->second;
    if (row->first == results::Status::running) {
      why = WIFSIGNALED(status)
                ? fmt::format("the program was ended by signal {}", WTERMSIG(status))
                : fmt::format("the program ended with exit status {} without using the GPU", WEXITSTATUS(status));
      store.finish_without_figures(runs_[index].identity, process, why);
    }
    ++result_.failed;
    note(index, "failed");
    result_.messages.push_back(
        fmt::format("{}: {}{}{}", name_of(runs_[index].request), why, said.empty() ? "" : "\n", said));
  }

  void passed(std::size_t index) {
    ++result_.passed;
    note(index, "passed");
  }

  void note(std::size_t index, const char* what) const {
    if (options_.progress_file.empty()) return;
    std::ofstream(options_.progress_file, std::ios::app) << what << ' ' << runs_[index].identity << '\n';
  }

  /// Only runs that other processes are at remain: have they ended?
  void look_elsewhere() {
    if (elsewhere_.empty()) return;
    results::Store store(options_.database);
    store.mark_killed();
    const std::set<std::string> done = results::passed_identities(store.database());
    const std::vector<std::size_t> looked = std::move(elsewhere_);
    elsewhere_.clear();
    bool any = false;
    for (const std::size_t index : looked) {
      if (done.contains(runs_[index].identity)) {
        passed(index);
        any = true;
      } else {
        waiting_.push_back(index);  // either it is still running and will be found taken again, or it is ours now
      }
    }
    if (!any) std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }

  const std::vector<PlannedRun>& runs_;
  const PoolOptions& options_;
  PoolProgress progress_;
  DatabaseKeeper keeper_;
  std::deque<std::size_t> waiting_;
  std::map<pid_t, Job> busy_;
  std::vector<std::size_t> elsewhere_;
  std::set<std::size_t> again_;
  PoolResult result_;
};

}  // namespace

RunRequest to_request(const study::Point& point) {
  RunRequest request;
  request.program = point.program;
  request.reads = point.reads;
  request.workload = point.workload;
  request.size = point.size;
  request.seed = point.seed;
  request.input = point.input;
  request.phases.first_launch = point.window.start_kernel;
  request.phases.skip = point.window.skip;
  request.phases.warmup = parse_amount("warmup", point.window.warmup);
  request.phases.window = parse_amount("window", point.window.window);
  request.phases.kernels = point.window.kernels;
  request.machine.gpu = point.gpu;
  request.machine.design = point.design;
  request.machine.changes = point.changes;
  request.machine.threads = point.threads;
  request.machine.functional = point.functional;
  return request;
}

std::vector<PlannedRun> plan(const std::vector<study::Point>& points) {
  std::vector<PlannedRun> runs;
  std::set<std::string> wrong;
  PoolProgress progress("checking", points.size(), 0, isatty(STDERR_FILENO) != 1);
  for (const study::Point& point : points) {
    progress.show(runs.size(), 0, 0);
    try {
      PlannedRun run;
      run.request = to_request(point);
      run.identity = results::identity(prepare(run.request).description);
      runs.push_back(std::move(run));
    } catch (const UserError& error) {
      wrong.insert(error.what());
      constexpr std::size_t kMost = 5;
      if (wrong.size() == kMost) break;
    }
  }
  if (!wrong.empty()) throw UserError(fmt::format("{}", fmt::join(wrong, "\n")));
  return runs;
}

PlannedRun plan_one(RunRequest request) {
  static std::map<std::string, std::string> known;
  const std::string asked =
      fmt::format("{} {} {} {} {} {} {} {} {} {}", request.program, fmt::join(request.reads, "\n"), request.workload,
                  request.size, request.seed, request.input, request.machine.gpu, request.machine.design,
                  request.machine.functional, fmt::join(request.machine.changes, " ")) +
      runtime::text(request.phases);
  auto found = known.find(asked);
  if (found == known.end()) found = known.emplace(asked, results::identity(prepare(request).description)).first;
  return {std::move(request), found->second};
}

std::vector<PlannedRun> missing(const std::vector<PlannedRun>& runs, const std::string& database) {
  results::Store store(database);
  store.mark_killed();
  std::set<std::string> done = results::passed_identities(store.database());
  std::vector<PlannedRun> left;
  for (const PlannedRun& run : runs) {
    if (done.insert(run.identity).second) left.push_back(run);
  }
  return left;
}

PoolResult run_all(const std::vector<PlannedRun>& runs, const PoolOptions& options) {
  return Pool(runs, options).run();
}

int report_pool(const PoolResult& result, const std::string& again) {
  constexpr std::size_t kMost = 10;
  for (std::size_t i = 0; i < std::min(kMost, result.messages.size()); ++i)
    fmt::print(stderr, "{}\n", result.messages[i]);
  if (result.messages.size() > kMost) fmt::print(stderr, "... and {} more\n", result.messages.size() - kMost);
  if (result.left != 0)
    fmt::print(stderr, "stopped: {} runs are left; what has ended is kept. Go on with: {}\n", result.left, again);
  if (result.failed != 0) fmt::print(stderr, "{} runs failed; they are tried again by: {}\n", result.failed, again);
  if (result.complete()) return kSuccess;
  return result.left != 0 && result.messages.empty() ? kInterrupted : kFailure;
}

}  // namespace heddle::cli
