#include "runtime/machine.h"

#include <fmt/format.h>

#include "base/diagnostics.h"
#include "exec/fault.h"

namespace heddle::runtime {
namespace {

// Host time: when a kernel that only waits is first told of, how long it is looked at, and when it is told of again.
constexpr auto kQuietTime = std::chrono::seconds(3);
constexpr auto kLookTime = std::chrono::milliseconds(500);
constexpr auto kBetweenWords = std::chrono::seconds(30);

}  // namespace

Machine::Machine(const MachineOptions& options) : options_(options), phases_(options.phases) {
  if (options_.phases.given() && !options_.gpu) throw UserError("phases need a timed machine");
  if (options_.phases.given() && options_.applications != 1) throw UserError("phases are for one application alone");
  if (options_.observe && (!options_.gpu || options_.threads != 1))
    throw UserError("observing memory accesses needs a timed machine with one host thread");
  next_look_ = next_word_ = begin_ + kQuietTime;
  streams_.on_fault([this](std::uint16_t application, const exec::ProgramFault& fault) {
    const auto found = active_.find(fault.grid_id);
    failures_.emplace(application, found == active_.end() ? std::make_exception_ptr(fault)
                                                          : std::make_exception_ptr(found->second.describe(fault)));
    streams_.drop(application);
  });
  if (options_.gpu)
    gpu_ = std::make_unique<gpu::Gpu>(*options_.gpu, options_.threads, options_.applications, options_.profile);
}

std::uint16_t Machine::join() {
  if (applications_ == options_.applications)
    throw UserError(fmt::format("this machine was made for {} applications", options_.applications));
  return applications_++;
}

void Machine::check() const {
  if (failure_) std::rethrow_exception(failure_);
}

void Machine::check(std::uint16_t application) const {
  check();
  if (const auto own = failures_.find(application); own != failures_.end()) std::rethrow_exception(own->second);
}

void Machine::fail(std::exception_ptr failure) {
  failure_ = std::move(failure);
  streams_.clear();
  if (turns_) turns_->give_up();
}

void Machine::push(std::uint16_t application, Stream stream, std::unique_ptr<Operation> operation) {
  check(application);
  streams_.push(stream, std::move(operation));
  if (!gpu_) streams_.advance(now());
}

void Machine::wait(const std::function<bool()>& condition) {
  check();
  if (condition()) return;
  if (turns_) {
    turns_->wait(condition);
  } else {
    simulate(condition);
  }
  check();
}

void Machine::wait(std::uint16_t application, const std::function<bool()>& condition) {
  check(application);
  wait([&] { return failures_.contains(application) ? streams_.idle_of(application) : condition(); });
  check(application);
}

void Machine::simulate(const std::function<bool()>& condition) {
  end_host_turn();
  simulate_until(condition);
  begin_host_turn();
}

void Machine::simulate_until(const std::function<bool()>& condition) {
  streams_.wait_for(condition);
  try {
    if (!gpu_) return take_turns(condition);
    gpu_->run(streams_, [this](sim::Cycle now) {
      phases_.look(*gpu_, now);
      look_for_waiting();
      return active_.empty() || go_on(active_.begin()->first, gpu_->instructions() + untimed_ - instructions_, now);
    });
  } catch (const exec::Stopped&) {
    const std::string kernel = active_.empty() ? "" : active_.begin()->second.kernel;
    fail(std::make_exception_ptr(Interrupted(fmt::format("stopped in kernel '{}'", kernel))));
  } catch (const exec::ProgramFault& fault) {
    const auto found = active_.find(fault.grid_id);
    fail(found == active_.end() ? std::current_exception() : std::make_exception_ptr(found->second.describe(fault)));
  } catch (...) {
    fail(std::current_exception());
  }
}

void Machine::take_turns(const std::function<bool()>& condition) {
  while (!condition()) {
    waiting_ = false;
    streams_.advance(now());
    if (!condition() && !waiting_) throw UserError("waiting for work that nobody has queued");
  }
}

void Machine::run_together(const std::vector<std::function<void()>>& programs) {
  turns_ = std::make_unique<Turns>([this](const std::function<bool()>& condition) { simulate(condition); });
  turns_->run(programs);
  turns_.reset();
}

sim::Cycle Machine::now() const { return gpu_ ? gpu_->now() : instructions_; }

double Machine::milliseconds(sim::Cycle cycles) const {
  const double mhz = options_.gpu ? options_.gpu->core_mhz.get() : 1000.0;
  return static_cast<double>(cycles) / (mhz * 1e3);
}

std::uint64_t Machine::add_launch(Active active) {
  active_[next_id_] = std::move(active);
  return next_id_++;
}

void Machine::end_launch(std::uint64_t id, std::uint64_t warp_instructions) {
  active_.erase(id);
  ++ended_;
  instructions_ += warp_instructions;
}

bool Machine::go_on(std::uint64_t id, std::uint64_t warp_instructions, sim::Cycle now) {
  const Active& active = active_.at(id);
  check_limits(active, instructions_ + warp_instructions);
  return !options_.progress || options_.progress({active.kernel, ended_, active.blocks_done(), active.blocks,
                                                  instructions_ + warp_instructions, now});
}

void Machine::check_limits(const Active& active, std::uint64_t warp_instructions) {
  const Limits& limits = options_.limits;
  const auto stop = [&](const std::string& limit) {
    throw LimitReached(
        fmt::format("stopped at the limit of {} in kernel '{}', after {} warp instructions; {} of its {} "
                    "blocks have ended",
                    limit, active.kernel, warp_instructions, active.blocks_done(), active.blocks));
  };
  if (limits.warp_instructions != 0 && warp_instructions > limits.warp_instructions)
    stop(fmt::format("{} warp instructions (--limit-instructions)", limits.warp_instructions));
  if (limits.host_seconds > 0 && std::chrono::duration<double>(Clock::now() - begin_).count() > limits.host_seconds)
    stop(fmt::format("{} seconds (--limit-seconds)", limits.host_seconds));
}

void Machine::look_for_waiting() {
  const Clock::time_point now = Clock::now();
  if (now < next_look_) return;
  if (!looking_) {
    looking_ = true;
    next_look_ = now + kLookTime;
    return gpu_->watch(true);
  }
  const std::optional<exec::EndlessWait> waits = gpu_->only_waits();
  looking_ = false;
  gpu_->watch(false);
  next_look_ = now + kQuietTime;
  if (waits && !active_.empty()) say_waiting(waits->grid_id, *waits);
}

void Machine::waits_for_others(std::uint64_t id, const exec::EndlessWait& waits) {
  waiting_ = true;
  say_waiting(id, waits);
}

void Machine::say_waiting(std::uint64_t id, const exec::EndlessWait& waits) {
  const Clock::time_point now = Clock::now();
  const auto found = active_.find(id);
  if (now < next_word_ || found == active_.end()) return;
  next_word_ = now + kBetweenWords;
  const std::string text = fmt::format(
      "kernel '{}' does nothing but wait: {} warps go round in loops in which nothing changes, such as lanes {:#x} of "
      "warp {} of block ({}, {}, {}) at {}",
      found->second.kernel, waits.warps, waits.lanes, waits.warp, waits.block.x, waits.block.y, waits.block.z,
      found->second.place(waits.pc));
  if (options_.say) {
    options_.say(text);
  } else {
    fmt::print(stderr, "heddle: {}\n", text);
  }
}

}  // namespace heddle::runtime
