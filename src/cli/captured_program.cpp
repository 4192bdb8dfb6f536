#include "cli/captured_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>

#include "cli/exec_program.h"
#include "session/program.h"

namespace heddle::cli {
namespace {

using session::Capture;

/// Names of programs, which descriptions of workloads only look at.
std::string_view kept_name(const std::string& line) {
  static std::deque<std::string> names;
  return names.emplace_back(std::filesystem::path(session::split_words(line).at(0)).filename().string());
}

/// Runs the program without timing; what it does goes to the file.
void capture_program(const std::string& line, const std::string& file) {
  const pid_t process = fork();
  if (process == 0) {
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    setenv(session::kCaptureVariable, file.c_str(), 1);
    session::ExecOptions options;
    options.machine.functional = true;
    options.quiet = true;
    options.database.without = true;
    try {
      start_program(options, session::split_words(line));
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}\n", error.what());
      std::fflush(stderr);
    }
    _exit(127);
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  throw UserError(fmt::format("{}: the program did not end well when it was captured ({})", line,
                              WIFEXITED(status) ? fmt::format("exit status {}", WEXITSTATUS(status))
                                                : fmt::format("signal {}", WTERMSIG(status))));
}

/// Does the steps of a program again, on a device.
class Replay {
 public:
  Replay(runtime::Device& device, const Capture& capture) : device_(device) {
    std::uint64_t begin = ~std::uint64_t{0};
    std::uint64_t end = 0;
    for (const Capture::Step& step : capture.steps) {
      if (const auto* memory = std::get_if<Capture::Memory>(&step)) {
        begin = std::min(begin, memory->address);
        end = std::max(end, memory->address + memory->bytes);
      }
    }
    if (end == 0) return;
    // All of the program's memory at once, so that each part lies where its pointers say. The first pages may be those
    // of a module's variables.
    arena_ = device.allocate(1);
    device.free(arena_);
    if (begin < arena_) throw UserError("a captured program's memory lies where this GPU has none");
    (void)device.allocate(end - arena_);
  }
  ~Replay() {
    if (arena_ != 0) device_.free(arena_);
  }
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  void operator()(const Capture::Load& step) {
    modules_.push_back(device_.load_linked(step.ptx, fmt::format("module{}.ptx", modules_.size())));
  }
  void operator()(const Capture::Memory& /*step*/) {}
  void operator()(const Capture::Write& step) {
    device_.synchronize();
    device_.copy_to_device(step.address, step.bytes.data(), step.bytes.size());
  }
  void operator()(const Capture::WriteSymbol& step) {
    device_.synchronize();
    const runtime::Module::Symbol symbol = modules_.at(step.module).symbol(step.name);
    device_.copy_to_device(symbol.address + step.offset, step.bytes.data(), step.bytes.size());
  }
  void operator()(const Capture::Launch& step) {
    std::vector<std::span<const std::byte>> arguments;
    for (const std::string& argument : step.arguments) arguments.push_back(std::as_bytes(std::span(argument)));
    if (step.stream != 0 && !streams_.contains(step.stream)) streams_[step.stream] = device_.create_stream();
    device_.launch_async(step.stream == 0 ? 0 : streams_[step.stream], modules_.at(step.module).kernel(step.kernel),
                         step.grid, step.block, static_cast<std::uint32_t>(step.shared), arguments, step.cooperative);
    ++launches_;
  }
  void operator()(const Capture::Wait& /*step*/) { device_.synchronize(); }
  void operator()(const Capture::Refused& /*step*/) {}

  /// Waits for the last; the result is how many there were.
  std::size_t finish() {
    device_.synchronize();
    for (const auto& [captured, own] : streams_) device_.destroy_stream(own);
    return launches_;
  }

 private:
  runtime::Device& device_;
  runtime::DeviceAddress arena_ = 0;
  std::vector<runtime::Module> modules_;
  std::map<std::uint64_t, runtime::Stream> streams_;
  std::size_t launches_ = 0;
};

workloads::Description description_of(const std::string& line) {
  workloads::Description description;
  description.name = kept_name(line);
  description.summary = "A compiled program, captured.";
  description.suite = "your own";
  description.unit = "program";
  description.ptx = [] { return std::string_view(); };
  return description;
}

}  // namespace

CapturedProgram::CapturedProgram(const std::string& line, const std::string& identity)
    : Workload(description_of(line)), line_(line), identity_(identity) {
  const std::string file =
      (std::filesystem::temp_directory_path() / fmt::format("heddle-capture-{}", getpid())).string();
  const std::unique_ptr<const char, int (*)(const char*)> removed(file.c_str(), &::unlink);
  capture_program(line, file);
  if (std::error_code missing; !std::filesystem::exists(file, missing))
    throw UserError(fmt::format("{}: the program does not use the GPU", line));
  capture_ = session::read_capture(file);
  check();
}

void CapturedProgram::check() const {
  for (const Capture::Step& step : capture_.steps) {
    if (const auto* refused = std::get_if<Capture::Refused>(&step))
      throw UserError(
          fmt::format("{}: a program that shares the GPU is done again from what was captured, and that "
                      "cannot be done with this one: {}",
                      line_, refused->why));
  }
}

const CapturedProgram& CapturedProgram::of(const std::string& line) {
  static std::map<std::string, std::unique_ptr<CapturedProgram>> known;
  const std::vector<std::string> words = session::split_words(line);
  const std::string file = find_program(words.at(0));
  session::MachineOptions machine;
  machine.functional = true;
  const std::string identity = results::identity(session::describe_program(
      file, std::filesystem::absolute(file).string(), std::span(words).subspan(1), {}, machine, {}, nullptr));
  std::unique_ptr<CapturedProgram>& captured = known[identity];
  if (!captured) captured.reset(new CapturedProgram(line, identity));
  return *captured;
}

workloads::Outcome CapturedProgram::execute(runtime::Device& device, const workloads::Request& /*request*/) const {
  Replay replay(device, capture_);
  for (const Capture::Step& step : capture_.steps) std::visit(replay, step);
  return {true, fmt::format("{} launches done again as captured; what they computed is not compared", replay.finish())};
}

const CapturedProgram* as_program(const workloads::Workload* workload) {
  return dynamic_cast<const CapturedProgram*>(workload);
}

}  // namespace heddle::cli
