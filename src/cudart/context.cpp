#include "cudart/context.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "gpu/gpu.h"
#include "session/machine.h"
#include "session/records.h"
#include "session/summary.h"

namespace heddle::cudart {
namespace {

Context* the_context = nullptr;  // as far as it was made

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// What the program was called with, without its name.
std::string command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string words;
  std::getline(file, words, '\0');
  std::string line;
  for (std::string word; std::getline(file, word, '\0');) line += (line.empty() ? "" : " ") + word;
  return line;
}

/// Runs after the program's own destructors and atexit functions.
__attribute__((destructor)) void at_end() {
  if (the_context != nullptr) the_context->finish();
}

}  // namespace

Context& Context::instance() {
  static Context& context = *(the_context = new Context);
  return context;
}

Context::Context() : process_(getpid()), begin_seconds_(now_seconds()) {
  try {
    if (const char* text = std::getenv(session::kOptionsVariable); text != nullptr) {
      options_ = session::read_exec_options(text);
    } else {
      options_.quiet = true;
      options_.database.without = true;
    }
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

void Context::make_device() {
  runtime::Device::Options options;
  if (!options_.machine.functional) options.gpu = gpu_;
  options.threads = options_.machine.threads;
  options.limits = options_.machine.limits;
  options.host_sees_memory = true;
  options.keep_going = true;
  options.print = [this](std::string_view text) { print(text); };
  device_ = std::make_unique<runtime::Device>(options);
  device_->set_heap_bytes(heap_bytes_);
  device_->set_stack_bytes(static_cast<std::uint32_t>(stack_bytes_));
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
    // The program would go on with errors, or forever; it ends here, with what there is.
    flush_prints();
    std::fprintf(stderr, "heddle: %s\n", limit.what());
    interrupted_ = limit.what();
    finish();
    std::fflush(nullptr);
    _exit(1);
  } catch (const runtime::LaunchError& error) {
    code = error.cuda_error();
    message = error.what();
  } catch (const std::exception& error) {
    message = error.what();
  }
  flush_prints();
  if (!message.empty()) tell_once(message);
  if (is_sticky(code)) sticky_ = code;
  // "Not ready" is an answer, not an error.
  if (code != cudaErrorNotReady) last_error() = code;
  return code;
}

void Context::finish() {
  if (!device_ || getpid() != process_) return;
  std::fflush(stdout);
  const double seconds = now_seconds() - begin_seconds_;
  if (!options_.quiet) session::print_summary({device_.get()}, seconds, options_.kernels, stderr);
  try {
    session::write_statistics(*device_, options_.machine);
    record(seconds);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle: %s\n", error.what());
  }
}

void Context::record(double seconds) {
  const session::MachineOptions& machine = options_.machine;
  results::RunDescription run;
  run.workload = program_invocation_short_name;
  run.size = command_line();
  run.mode = machine.functional ? "functional" : "timed";
  run.program = programs.text();
  run.design = machine.design;
  run.changes = machine.changes;
  run.version = session::simulator_version();
  run.threads = machine.threads;
  if (!machine.functional) {
    run.gpu = machine.gpu;
    run.configuration = session::effective_configuration(*gpu_);
  }
  session::Recorder recorder(options_.database, run);
  results::RunOutcome outcome;
  // Whether the program computed the right thing is for it to say.
  outcome.status = sticky_ == cudaSuccess ? results::Status::passed : results::Status::error;
  outcome.detail = sticky_ == cudaSuccess ? "the program ended" : error_name(sticky_);
  if (!interrupted_.empty()) {
    outcome.status = results::Status::interrupted;
    outcome.detail = interrupted_;
  }
  outcome.host_seconds = seconds;
  outcome.kernels = session::kernel_records(*device_, run.workload);
  if (device_->gpu() != nullptr) {
    for (const auto& [path, total] : sim::totals(device_->gpu()->statistics()))
      outcome.statistics[path] = static_cast<double>(total);
  }
  recorder.finish(outcome);
}

}  // namespace heddle::cudart
