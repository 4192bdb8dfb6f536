#include "runtime/machine.h"

#include <fmt/format.h>

#include "base/diagnostics.h"
#include "exec/fault.h"

namespace heddle::runtime {

Machine::Machine(const MachineOptions& options) : options_(options) {
  if (options_.gpu) gpu_ = std::make_unique<gpu::Gpu>(*options_.gpu, options_.threads, options_.applications);
}

std::uint16_t Machine::join() {
  if (applications_ == options_.applications)
    throw UserError(fmt::format("this machine was made for {} applications", options_.applications));
  return applications_++;
}

void Machine::check() const {
  if (failure_) std::rethrow_exception(failure_);
}

void Machine::fail(std::exception_ptr failure) {
  failure_ = std::move(failure);
  streams_.clear();
  if (turns_) turns_->give_up();
}

void Machine::push(Stream stream, std::unique_ptr<Operation> operation) {
  check();
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

void Machine::simulate(const std::function<bool()>& condition) {
  streams_.wait_for(condition);
  try {
    if (!gpu_) throw UserError("waiting for work that nobody has queued");
    gpu_->run(streams_, [this](sim::Cycle now) {
      return !options_.progress || active_.empty() ||
             ask_progress(active_.begin()->first, gpu_->instructions() - instructions_, now);
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

bool Machine::ask_progress(std::uint64_t id, std::uint64_t warp_instructions, sim::Cycle now) {
  const Active& active = active_.at(id);
  return options_.progress(
      {active.kernel, ended_, active.blocks_done(), active.blocks, instructions_ + warp_instructions, now});
}

}  // namespace heddle::runtime
