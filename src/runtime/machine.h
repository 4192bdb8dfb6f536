// The machine that devices stand for: one GPU, timed or not, and the streams of all applications that use it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/fault.h"
#include "exec/waiting.h"
#include "gpu/gpu.h"
#include "runtime/launch.h"
#include "runtime/phases.h"
#include "runtime/streams.h"
#include "runtime/turns.h"

namespace heddle::runtime {

struct MachineOptions {
  /// The GPU to time on; nothing: execute without timing. Must not change while the machine exists.
  std::shared_ptr<const gpu::GpuParameters> gpu;
  unsigned threads = 1;       ///< host threads for a timed run; the result does not depend on it
  unsigned applications = 1;  ///< devices that will share it
  /// Called now and then while kernels run. Return false to stop: whoever waits then gets Interrupted.
  std::function<bool(const Progress&)> progress;
  Phases phases{};  ///< which part of a long program is timed and counted; by default all of it
  /// Sees every global memory instruction of a timed run. Needs a GPU and one host thread.
  core::AccessObserver observe{};
  Limits limits{};
  /// Receives what a person should know while kernels run; standard error if not set.
  std::function<void(const std::string&)> say{};
  bool profile = false;  ///< counts what every instruction of a timed run costs
};

class Machine {
 public:
  explicit Machine(const MachineOptions& options);

  [[nodiscard]] gpu::Gpu* gpu() const { return gpu_.get(); }
  [[nodiscard]] const MachineOptions& options() const { return options_; }
  [[nodiscard]] PhaseControl& phases() { return phases_; }
  [[nodiscard]] Streams& streams() { return streams_; }
  /// The number of a new application. Throws UserError when there are as many as options().applications.
  [[nodiscard]] std::uint16_t join();

  /// Queues an operation; without timing it has ended when this returns.
  void push(std::uint16_t application, Stream stream, std::unique_ptr<Operation> operation);
  /// Simulates until the condition holds. Throws Interrupted and what made the machine stop.
  void wait(const std::function<bool()>& condition);
  /// The same for an application: throws what it did wrong as well, when what it had begun has ended.
  void wait(std::uint16_t application, const std::function<bool()>& condition);
  /// Runs host programs side by side, each with a device of its own on this machine. Exceptions are theirs to catch.
  void run_together(const std::vector<std::function<void()>>& programs);
  /// Throws what made this machine stop, or this application, if anything did.
  void check() const;
  void check(std::uint16_t application) const;
  [[nodiscard]] bool failed() const { return static_cast<bool>(failure_); }
  void fail(std::exception_ptr failure);

  /// Host time since the machine was made.
  [[nodiscard]] double host_seconds(std::chrono::steady_clock::time_point at) const {
    return std::chrono::duration<double>(at - begin_).count();
  }
  /// Simulated time: core cycles; without timing, warp instructions executed.
  [[nodiscard]] sim::Cycle now() const;
  [[nodiscard]] double milliseconds(sim::Cycle cycles) const;

  /// A launch that is queued or running. `describe` turns its fault into what the program gets, `place` an instruction
  /// into the line that it comes from.
  struct Active {
    std::string kernel;
    std::function<std::string(std::uint32_t pc)> place;
    std::function<LaunchError(const exec::ProgramFault&)> describe;
    std::function<std::uint64_t()> blocks_done;
    std::uint64_t blocks = 0;
  };
  [[nodiscard]] std::uint64_t add_launch(Active active);
  void end_launch(std::uint64_t id, std::uint64_t warp_instructions);
  /// Instructions of a launch that a timed machine executed without timing.
  void add_untimed(std::uint64_t warp_instructions) { untimed_ += warp_instructions; }
  /// Now and then while a launch runs: whether to go on. Throws LimitReached.
  [[nodiscard]] bool go_on(std::uint64_t id, std::uint64_t warp_instructions, sim::Cycle now);
  /// A launch without timing does nothing but wait for something outside: the host, or another stream.
  void waits_for_others(std::uint64_t id, const exec::EndlessWait& waits);

  /// When the link to the host, in each direction, is free again.
  [[nodiscard]] vm::HostLink& link() { return gpu_ ? gpu_->link() : link_; }
  /// What an application wants to do when the host program's turn ends, so that the machine goes on, and when it
  /// begins.
  struct HostTurn {
    std::function<void()> ends;
    std::function<void()> begins;
  };
  void set_host_turn(std::uint16_t application, HostTurn turn) { host_turns_[application] = std::move(turn); }
  void end_host_turn() const {
    for (const auto& [application, turn] : host_turns_) turn.ends();
  }
  void begin_host_turn() const {
    for (const auto& [application, turn] : host_turns_) turn.begins();
  }

 private:
  void simulate(const std::function<bool()>& condition);
  void simulate_until(const std::function<bool()>& condition);
  void take_turns(const std::function<bool()>& condition);
  void check_limits(const Active& active, std::uint64_t warp_instructions);
  /// On a timed machine, once in a while: says so if nothing happens but waiting.
  void look_for_waiting();
  void say_waiting(std::uint64_t id, const exec::EndlessWait& waits);

  MachineOptions options_;
  std::unique_ptr<gpu::Gpu> gpu_;
  Streams streams_;
  std::unique_ptr<Turns> turns_;
  std::map<std::uint64_t, Active> active_;  ///< by grid id
  std::uint64_t next_id_ = 0;
  std::uint64_t ended_ = 0;
  std::uint64_t instructions_ = 0;  ///< of launches that have ended
  std::uint64_t untimed_ = 0;       ///< of those, on a timed machine, executed without timing
  PhaseControl phases_;
  std::uint16_t applications_ = 0;
  std::exception_ptr failure_;
  std::map<std::uint16_t, std::exception_ptr> failures_;  ///< of single applications
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_look_;  ///< for kernels that only wait
  Clock::time_point next_word_;  ///< about them
  bool looking_ = false;
  bool waiting_ = false;                          ///< launches do nothing but wait for others
  vm::HostLink link_;                             ///< of a machine that is not timed
  std::map<std::uint16_t, HostTurn> host_turns_;  ///< by application
};

}  // namespace heddle::runtime
