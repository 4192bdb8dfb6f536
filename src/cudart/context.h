// The state of the library in a program: the simulated GPU, what the program registered, allocated and queued.
//
// One per process, made on first use and never destroyed, as programs call in from their own destructors. One lock
// guards it all: the simulated GPU is one machine, and calls are short beside what it simulates.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "cudart/errors.h"
#include "cudart/memory.h"
#include "cudart/programs.h"
#include "cudart/queues.h"
#include "results/record.h"
#include "runtime/device.h"
#include "session/exec_options.h"
#include "session/progress.h"
#include "sim/sampler.h"

namespace heddle::cudart {

class Context {
 public:
  [[nodiscard]] static Context& instance();

  [[nodiscard]] std::recursive_mutex& mutex() { return mutex_; }
  [[nodiscard]] const session::ExecOptions& options() const { return options_; }
  /// The GPU as described, also when nothing is timed.
  [[nodiscard]] const gpu::GpuParameters& gpu() const { return *gpu_; }
  /// Compute capability: 90 for 9.0. At least that of the code that runs, as a GPU that runs it has that.
  [[nodiscard]] unsigned capability();
  /// Of the described GPU alone.
  [[nodiscard]] unsigned gpu_capability() const;

  /// The simulated GPU, made on first use.
  [[nodiscard]] runtime::Device& device();
  [[nodiscard]] bool has_device() const { return device_ != nullptr; }
  /// Of the described GPU; where it translates addresses, no more than there are frames.
  [[nodiscard]] std::uint64_t memory_bytes() const;
  void set_heap_bytes(std::uint64_t bytes);
  void set_stack_bytes(std::uint64_t bytes);
  /// cudaDeviceReset: everything but what the program registered is gone.
  void reset();
  /// At the end of the process, with its exit status.
  void finish(int exit_status);
  /// Whether checks of the program found something.
  [[nodiscard]] bool found_faults() const { return device_ && device_->check_report().total != 0; }
  /// A launch that was not done; `why` may be empty where the code says all.
  void note_refused(const std::string& kernel, ErrorCode code, const std::string& why);

  /// What kernels printed reaches standard output when the host waits for them, as on hardware.
  void print(std::string_view text) {
    constexpr std::size_t kMost = 1024 * 1024;  // what a GPU keeps for the host by default
    printed_ += text;
    if (printed_.size() > kMost) flush_prints();
  }
  void flush_prints();
  void drop_prints() { printed_.clear(); }

  /// Runs the body of a call and turns what it throws into an error code. The lock is held.
  template <typename Body>
  Error guarded(Body&& body) {
    if (sticky_ != cudaSuccess) return last_error() = sticky_;
    return unguarded(std::forward<Body>(body));
  }
  template <typename Body>
  Error unguarded(Body&& body) {
    try {
      std::forward<Body>(body)();
      clear_progress();
      return cudaSuccess;
    } catch (...) {
      return failed();
    }
  }
  [[nodiscard]] Error sticky() const { return sticky_; }

  Memory memory;
  Programs programs;
  Queues queues;

 private:
  Context();
  /// Inside a catch: the error code of what was thrown.
  Error failed();
  void make_device();
  /// Marks the run as started in the results database.
  void begin_record();
  /// What came of it.
  [[nodiscard]] results::RunOutcome outcome(double seconds, int exit_status);
  /// How it ended, and why.
  void judge(int exit_status, results::RunOutcome& outcome) const;
  /// Ends the program where it is, with what there is.
  [[noreturn]] void stop(const std::string& why, int exit_status);
  [[nodiscard]] bool go_on(const runtime::Progress& progress);
  /// The program goes on and may write.
  void clear_progress() {
    if (progress_) progress_->clear();
  }

  std::recursive_mutex mutex_;
  session::ExecOptions options_;
  std::shared_ptr<const gpu::GpuParameters> gpu_;
  std::unique_ptr<runtime::Device> device_;
  std::unique_ptr<session::ProgressText> progress_;  ///< nothing if it is not to be shown
  std::unique_ptr<sim::Sampler> sampler_;            ///< of a timed run
  std::unique_ptr<session::Recorder> recorder_;
  std::string title_;        ///< the program and its arguments
  std::string interrupted_;  ///< by what limit, or by the user; empty: not
  std::string refused_;      ///< what is said of the first launch that was not done; empty: there is none
  bool finished_ = false;
  std::string printed_;
  Error sticky_ = cudaSuccess;
  int process_ = 0;  ///< a forked child has no GPU to report about
  double begin_seconds_ = 0;
  std::uint64_t heap_bytes_ = 8u << 20;
  std::uint64_t stack_bytes_ = 1024;
};

/// A call that needs no device, so that it answers also after a fault.
template <typename Body>
Error call_without_device(Body&& body) {
  Context& context = Context::instance();
  const std::lock_guard lock(context.mutex());
  return context.unguarded([&] { body(context); });
}

/// A call of the API: locks, runs `body(context)`, returns the error code.
template <typename Body>
Error call(Body&& body) {
  Context& context = Context::instance();
  const std::lock_guard lock(context.mutex());
  return context.guarded([&] { body(context); });
}

}  // namespace heddle::cudart
