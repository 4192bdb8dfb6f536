#include "cli/program_runs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/diagnostics.h"
#include "results/query.h"
#include "results/store.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

/// A folder that is gone when its owner is.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "heddle-programs-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
      throw UserError(fmt::format("cannot make the folder {}: {}", pattern, std::strerror(errno)));
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::vector<std::string> command_for(const std::string& program, const std::string& database,
                                     const session::MachineOptions& machine) {
  std::vector<std::string> words{"heddle", "exec", "--quiet", "--db", database, "--gpu", machine.gpu};
  if (!machine.design.empty()) words.insert(words.end(), {"--design", machine.design});
  for (const std::string& change : machine.changes) words.insert(words.end(), {"--set", change});
  words.insert(words.end(), {"--", program});
  return words;
}

pid_t start(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  const int error = posix_spawn(&process, "/proc/self/exe", &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw UserError(fmt::format("cannot start heddle exec: {}", std::strerror(error)));
  return process;
}

}  // namespace

ProgramRuns run_programs(const std::string& folder, const std::vector<std::string>& names,
                         const session::MachineOptions& machine, unsigned jobs) {
  for (const std::string& name : names) {
    if (std::error_code ignored; !fs::exists(fs::path(folder) / name, ignored))
      throw UserError(fmt::format("--programs {}: '{}' is not there", folder, name));
  }
  const TemporaryFolder scratch;
  ProgramRuns result;
  std::map<pid_t, std::string> busy;
  for (std::size_t next = 0; next < names.size() || !busy.empty();) {
    while (next < names.size() && busy.size() < jobs) {
      const std::string& name = names[next++];
      busy[start(command_for((fs::absolute(folder) / name).string(), scratch.path() / (name + ".db"), machine))] = name;
    }
    int status = 0;
    const pid_t process = waitpid(-1, &status, 0);
    const auto ended = busy.find(process);
    if (ended == busy.end()) continue;
    const std::string name = ended->second;
    busy.erase(ended);
    const fs::path database = scratch.path() / (name + ".db");
    if (status != 0 || !fs::exists(database)) {
      result.failures.push_back(fmt::format("{} failed under heddle exec", name));
      continue;
    }
    const auto opened = results::open_results(database.string());
    const std::vector<results::RunRow> runs = results::all_runs(*opened);
    if (!runs.empty()) result.kernels[name] = results::kernels_of(*opened, runs.back());
  }
  return result;
}

}  // namespace heddle::cli
