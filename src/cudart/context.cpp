#include "cudart/context.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/kernel_name.h"
#include "cudart/interrupts.h"
#include "gpu/gpu.h"
#include "runtime/machine.h"
#include "session/checks.h"
#include "session/host_threads.h"
#include "session/machine.h"
#include "session/outcome.h"
#include "session/program.h"
#include "session/records.h"
#include "session/summary.h"

namespace heddle::cudart {
namespace {

Context* the_context = nullptr;  // as far as it was made

constexpr int kInterruptedStatus = 130;  // as a shell has it of a program that Ctrl-C ended

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// What the program was called with, without its name.
std::vector<std::string> arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  if (!words.empty()) words.erase(words.begin());
  return words;
}

void at_end(int exit_status, void* /*unused*/) {
  if (the_context == nullptr) return;
  the_context->finish(exit_status);
  if (exit_status != 0 || !the_context->found_faults()) return;
  std::fflush(nullptr);
  _exit(1);
}

}  // namespace

Context& Context::instance() {
  static Context& context = *(the_context = new Context);
  return context;
}

Context::Context() : process_(getpid()), begin_seconds_(now_seconds()) {
  // What is asked for first is called last: after what the program asks for and its compiler's, who comes after the
  // first call, and before the library's own objects are gone.
  on_exit(at_end, nullptr);
  try {
    if (const char* text = std::getenv(session::kOptionsVariable); text != nullptr) {
      options_ = session::read_exec_options(text);
    } else {
      options_.quiet = true;
      options_.database.without = true;
    }
    (void)options_.phases.phases();
    gpu_ = session::load_gpu(options_.machine.gpu, options_.machine.design, options_.machine.changes);
  } catch (const UserError& error) {
    std::fprintf(stderr, "heddle: %s\n", error.what());
    _exit(2);  // there is no error code that would tell the program
  }
}

unsigned Context::gpu_capability() const { return gpu_->compute_capability; }
unsigned Context::capability() { return std::max(gpu_capability(), programs.newest_architecture(*this)); }

runtime::Device& Context::device() {
  if (!device_) make_device();
  return *device_;
}

std::uint64_t Context::memory_bytes() const {
  const std::uint64_t all = std::uint64_t{gpu_->memory_mib} << 20;
  return gpu_->translates() ? std::min(all, std::uint64_t{gpu_->vm.frames.gib} << 30) : all;
}

void Context::make_device() {
  runtime::MachineOptions options;
  runtime::Device::Options device;
  if (!options_.machine.functional) options.gpu = gpu_;
  device.checks = session::parse_checks(options_.machine.check);
  options.threads = device.checks.any() ? 1 : session::host_threads(options_.machine, options.gpu.get());
  options.profile = options_.profile.on;
  options.limits = options_.machine.limits;
  options.phases = options_.phases.phases();
  options.progress = [this](const runtime::Progress& progress) { return go_on(progress); };
  device.memory_bytes = memory_bytes();
  device.host_sees_memory = true;
  device.keep_going = true;
  device.print = [this](std::string_view text) { print(text); };
  const auto machine = std::make_shared<runtime::Machine>(options);
  device_ = std::make_unique<runtime::Device>(machine, device);
  device_->set_heap_bytes(heap_bytes_);
  device_->set_stack_bytes(static_cast<std::uint32_t>(stack_bytes_));
  if (machine->gpu() != nullptr) sampler_ = session::make_sampler(*machine->gpu());
  begin_record();
  if (std::getenv(session::kOptionsVariable) == nullptr) return;
  if (!options_.quiet) progress_ = std::make_unique<session::ProgressText>(program_invocation_short_name);
  watch_interrupts([this] {
    // What runs notices by itself, and ends the process; between calls it is ended here.
    while (!mutex_.try_lock()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop("stopped by the user", kInterruptedStatus);
  });
}

bool Context::go_on(const runtime::Progress& progress) {
  if (progress_) progress_->show(progress);
  if (sampler_) sampler_->offer(progress.cycles);
  return !interrupt_requested();
}

void Context::set_heap_bytes(std::uint64_t bytes) {
  heap_bytes_ = bytes;
  if (device_) device_->set_heap_bytes(bytes);
}

void Context::set_stack_bytes(std::uint64_t bytes) {
  // As much as a thread's local memory can hold.
  require(bytes <= 512 * 1024);
  stack_bytes_ = bytes;
  if (device_) device_->set_stack_bytes(static_cast<std::uint32_t>(bytes));
}

void Context::reset() {
  // As an H200 has it: a device that failed is not there any more for this process.
  if (sticky_ != cudaSuccess) {
    sticky_ = cudaErrorDevicesUnavailable;
    return;
  }
  if (!device_) return;
  // The machine goes on, with its time and its statistics; only what the program had on it is gone.
  queues.wait_all(*this);
  queues.forget_all(*this);
  memory.forget_all(*this);
  programs.forget_loaded();
}

void Context::flush_prints() {
  if (printed_.empty()) return;
  clear_progress();
  std::fwrite(printed_.data(), 1, printed_.size(), stdout);
  printed_.clear();
}

Error Context::failed() {
  Error code = cudaErrorUnknown;
  std::string message;
  try {
    throw;
  } catch (const Failure& failure) {
    code = failure.code();
    message = failure.what();
  } catch (const runtime::LimitReached& limit) {
    // The program would go on with errors, or forever.
    stop(limit.what(), 1);
  } catch (const runtime::Interrupted& interrupted) {
    stop(interrupted.what(), kInterruptedStatus);
  } catch (const runtime::LaunchError& error) {
    code = error.cuda_error();
    message = error.what();
  } catch (const std::exception& error) {
    message = error.what();
  }
  flush_prints();
  clear_progress();
  if (!message.empty()) tell_once(message);
  if (is_sticky(code)) sticky_ = code;
  // "Not ready" is an answer, not an error.
  if (code != cudaErrorNotReady) last_error() = code;
  return code;
}

void Context::stop(const std::string& why, int exit_status) {
  flush_prints();
  clear_progress();
  interrupted_ = why;
  std::fprintf(stderr, "heddle: %s\n", why.c_str());
  finish(exit_status);
  std::fflush(nullptr);
  _exit(exit_status);
}

void Context::note_refused(const std::string& kernel, ErrorCode code, const std::string& why) {
  if (!refused_.empty()) return;
  refused_ = fmt::format("kernel '{}' was refused: {}", kernel_name(kernel), why.empty() ? error_name(code) : why);
}

void Context::finish(int exit_status) {
  if (!device_ || getpid() != process_ || finished_) return;
  finished_ = true;
  std::fflush(stdout);
  clear_progress();
  const double seconds = now_seconds() - begin_seconds_;
  results::RunOutcome ended = outcome(seconds, exit_status);
  if (!options_.quiet) {
    fmt::print(stderr, "{}: {}\n", title_, session::machine_name(options_.machine));
    session::print_summary({device_.get()}, seconds, options_.phases.kernel_lines, stderr);
    if (ended.status != results::Status::passed) fmt::print(stderr, "  NOT PASSED: {}\n", ended.detail);
  }
  session::print_findings({device_.get()}, options_.machine.check);
  try {
    if (options_.profile.on) {
      const std::vector<session::ProfileRow> rows = session::profile_rows({device_.get()}, options_.profile.by);
      ended.lines = session::line_records(rows);
      session::write_profile(rows, options_.profile, program_invocation_short_name, stderr);
    }
    session::write_statistics(*device_, options_.machine);
    if (recorder_) recorder_->finish(ended);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle: %s\n", error.what());
  }
}

void Context::begin_record() {
  const std::vector<std::string> words = arguments();
  const auto machine = options_.machine.functional ? nullptr : gpu_;
  std::error_code unknown;
  std::string path = std::filesystem::read_symlink("/proc/self/exe", unknown).string();
  title_ = program_invocation_short_name + (words.empty() ? "" : " " + session::join_words(words));
  if (options_.database.file().empty()) return;
  const results::RunDescription run = session::describe_program(
      "/proc/self/exe", path, words, options_.reads, options_.machine, options_.phases.phases(), machine.get());
  recorder_ = options_.run == 0 ? std::make_unique<session::Recorder>(options_.database, run)
                                : std::make_unique<session::Recorder>(options_.database, run, options_.run);
}

void Context::judge(int exit_status, results::RunOutcome& outcome) const {
  using results::Status;
  outcome.status = Status::passed;
  outcome.detail = "the program ended with exit status 0";
  if (exit_status != 0) {
    outcome.status = Status::wrong;
    outcome.detail = fmt::format("the program ended with exit status {}", exit_status);
  }
  if (found_faults()) {
    outcome.status = Status::wrong;
    outcome.detail = session::summary_of(device_->check_report());
  }
  if (!refused_.empty() || sticky_ != cudaSuccess) {
    outcome.status = Status::error;
    outcome.detail = sticky_ != cudaSuccess ? error_name(sticky_) : refused_;
  }
  if (!interrupted_.empty()) {
    outcome.status = Status::interrupted;
    outcome.detail = interrupted_;
  }
}

results::RunOutcome Context::outcome(double seconds, int exit_status) {
  results::RunOutcome outcome;
  judge(exit_status, outcome);
  outcome.host_seconds = seconds;
  outcome.kernels = session::kernel_records(*device_, program_invocation_short_name);
  if (sampler_) session::add_counters(device_->machine(), *sampler_, outcome);
  session::add_findings(*device_, outcome);
  return outcome;
}

}  // namespace heddle::cudart
