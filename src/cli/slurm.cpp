#include "cli/slurm.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/exec_program.h"
#include "cli/pool_progress.h"
#include "session/program.h"
#include "study/toml_reader.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kMostSubmissions = 3;
constexpr std::size_t kUsualTasks = 100;
constexpr auto kPoll = std::chrono::seconds(2);

struct Answer {
  int status = 0;
  std::string output;
};

/// Runs a program with its arguments as they are; standard error comes along.
Answer call(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("cannot make a pipe");
  const pid_t process = fork();
  if (process == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(ends[1]);
  Answer answer;
  std::array<char, 4096> buffer{};
  ssize_t got = 0;
  while ((got = read(ends[0], buffer.data(), buffer.size())) > 0)
    answer.output.append(buffer.data(), static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(process, &status, 0);
  answer.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  if (answer.status == 127)
    throw UserError(fmt::format("'{}' is not here: is Slurm installed on this machine?", command[0]));
  return answer;
}

void write_script(const fs::path& path, const std::string& text) {
  const fs::path fresh = path.string() + ".new";
  {
    std::ofstream out(fresh, std::ios::binary);
    out << text;
    out.close();
    if (!out) throw UserError(fmt::format("cannot write '{}': the disk may be full", fresh.string()));
  }
  fs::rename(fresh, path);
}

study::Point to_point(const RunRequest& request) {
  const auto absolute = [](const std::string& name) {
    const bool is_file = name.ends_with(".toml") || name.find('/') != std::string::npos;
    return is_file ? fs::absolute(name).string() : name;
  };
  study::Point point;
  if (!request.program.empty()) {
    std::vector<std::string> words = session::split_words(request.program);
    words.front() = fs::absolute(find_program(words.front())).string();
    point.program = session::join_words(words);
  }
  for (const std::string& file : request.reads) point.reads.push_back(fs::absolute(file).string());
  point.workload = request.workload;
  point.size = request.size;
  point.seed = request.seed;
  point.input = request.input;
  const session::PhaseOptions phases = session::to_options(request.phases);
  point.window = {phases.first_launch, phases.skip, phases.warmup, phases.window, phases.kernels};
  point.gpu = absolute(request.machine.gpu);
  point.design = absolute(request.machine.design);
  point.changes = request.machine.changes;
  point.threads = request.machine.threads;
  point.functional = request.machine.functional;
  return point;
}

class Follower {
 public:
  Follower(std::string name, const std::vector<PlannedRun>& runs, const std::string& database,
           const SlurmOptions& options)
      : name_(std::move(name)), runs_(runs), database_(fs::absolute(database).string()), options_(options) {
    std::string all;
    for (const PlannedRun& run : runs) all += run.identity;
    folder_ = database_ + ".sweeps/" + name_ + "-" + results::hash(all).substr(0, 12);
    fs::create_directories(folder_);
  }

  int follow(const std::string& again) {
    int submissions = 0;
    while (true) {
      std::string job = current_job();
      if (job.empty() || !in_queue(job)) {
        collect_all();
        const std::vector<PlannedRun> left = missing(runs_, database_);
        if (left.empty()) break;
        if (submissions++ == kMostSubmissions) return give_up(left, again);
        job = submit(left);
      } else {
        fmt::print("{}: following job {} that is in the queue\n", name_, job);
      }
      std::fflush(stdout);
      if (options_.no_wait) {
        fmt::print("{}: not waiting; follow with: {}\n", name_, again);
        return kSuccess;
      }
      wait_for(job);
    }
    fs::remove_all(folder_);
    fmt::print("{}: complete, {} runs\n", name_, runs_.size());
    return kSuccess;
  }

 private:
  [[nodiscard]] std::string current_job() const {
    std::ifstream in(folder_ + "/job");
    std::string job;
    in >> job;
    return job;
  }

  /// The states of the job's tasks that have not ended.
  [[nodiscard]] std::map<std::string, std::string> tasks(const std::string& job) const {
    const Answer answer = call({"squeue", "--noheader", "--array", "--jobs=" + job, "--format=%K %T"});
    std::map<std::string, std::string> states;
    if (answer.status != 0) {
      // A job that has ended some time ago is not known any more; anything else is trouble that may pass.
      if (answer.output.find("Invalid job id") != std::string::npos) return states;
      states["?"] = "UNKNOWN";
      return states;
    }
    std::istringstream lines(answer.output);
    std::string task;
    std::string state;
    while (lines >> task >> state) states[task] = state;
    return states;
  }

  [[nodiscard]] bool in_queue(const std::string& job) const { return !tasks(job).empty(); }

  std::string submit(const std::vector<PlannedRun>& left) {
    std::vector<study::Point> points;
    points.reserve(left.size());
    for (const PlannedRun& run : left) points.push_back(to_point(run.request));
    const std::size_t batch =
        options_.batch != 0 ? options_.batch : std::max<std::size_t>(1, (left.size() + kUsualTasks - 1) / kUsualTasks);
    const std::size_t count = (left.size() + batch - 1) / batch;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) fs::remove_all(entry.path());
    write_script(folder_ + "/runs.json", study::to_json(points));
    write_script(folder_ + "/batch", fmt::format("{}\n", batch));
    const std::string program = fs::read_symlink("/proc/self/exe").string();
    write_script(folder_ + "/task.sh", fmt::format("#!/bin/sh\nexec '{}' sweep --worker '{}'\n", program, folder_));
    std::vector<std::string> command{"sbatch",
                                     "--parsable",
                                     "--job-name=heddle-" + name_,
                                     fmt::format("--array=0-{}", count - 1),
                                     "--output=" + folder_ + "/task-%a.log",
                                     "--cpus-per-task=1"};
    command.insert(command.end(), options_.options.begin(), options_.options.end());
    command.push_back(folder_ + "/task.sh");
    const Answer answer = call(command);
    if (answer.status != 0) throw UserError(fmt::format("sbatch refused the job: {}", answer.output));
    std::string job = answer.output.substr(0, answer.output.find_first_of(";\n"));
    write_script(folder_ + "/job", job + "\n");
    fmt::print("{}: job {} with {} tasks for {} runs\n", name_, job, count, left.size());
    return job;
  }

  void wait_for(const std::string& job) {
    std::size_t total = study::points_from_json(read_file(folder_ + "/runs.json")).size();
    PoolProgress progress(fmt::format("{}, job {}", name_, job), total, runs_.size() - total, false);
    while (true) {
      const auto states = tasks(job);
      std::size_t running = 0;
      for (const auto& [task, state] : states) running += state == "RUNNING" ? 1 : 0;
      const auto [passed, failed] = count_ended();
      progress.show(passed, running, failed);
      if (states.empty()) return;
      std::this_thread::sleep_for(kPoll);
    }
  }

  [[nodiscard]] std::pair<std::size_t, std::size_t> count_ended() const {
    std::pair<std::size_t, std::size_t> counts{0, 0};
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
      if (entry.path().extension() != ".progress") continue;
      std::ifstream in(entry.path());
      std::string line;
      while (std::getline(in, line)) ++(line.starts_with("passed") ? counts.first : counts.second);
    }
    return counts;
  }

  void collect_all() {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
      if (entry.path().extension() != ".db") continue;
      {
        // What a killed task left half-way is marked there first; the node is another, so its word is all there is.
        results::Store part(entry.path().string());
        part.database().execute(
            "UPDATE runs SET status = 'killed', detail = 'its task of the job array ended early' "
            "WHERE status = 'running'");
      }
      results::Store(database_).merge(entry.path().string());
    }
  }

  int give_up(const std::vector<PlannedRun>& left, const std::string& again) {
    fmt::print(stderr, "{}: {} runs did not pass in {} submissions; the logs of the last are in {}\n", name_,
               left.size(), kMostSubmissions, folder_);
    fmt::print(stderr, "when the cause is gone: {}\n", again);
    return kFailure;
  }

  std::string name_;
  const std::vector<PlannedRun>& runs_;
  std::string database_;
  const SlurmOptions& options_;
  std::string folder_;
};

}  // namespace

int run_on_slurm(const std::string& name, const std::vector<PlannedRun>& runs, const std::string& database,
                 const SlurmOptions& options, const std::string& again) {
  return Follower(name, runs, database, options).follow(again);
}

int slurm_worker(const std::string& folder) {
  const char* task = std::getenv("SLURM_ARRAY_TASK_ID");
  if (task == nullptr)
    throw UserError("--worker is for the tasks of a Slurm job array (SLURM_ARRAY_TASK_ID is not set)");
  const std::size_t number = std::stoul(task);
  const std::size_t batch = std::stoul(read_file(folder + "/batch"));
  const std::vector<study::Point> points = study::points_from_json(read_file(folder + "/runs.json"));
  std::vector<study::Point> mine;
  for (std::size_t i = number * batch; i < std::min(points.size(), (number + 1) * batch); ++i)
    mine.push_back(points[i]);
  const std::string base = fmt::format("{}/task-{}", folder, number);
  const PoolResult result = run_all(plan(mine), {"", base + ".db", 1, true, base + ".progress"});
  return report_pool(result, "the sweep");
}

}  // namespace heddle::cli
