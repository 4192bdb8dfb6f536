#include "runtime/turns.h"

#include <algorithm>
#include <thread>

namespace heddle::runtime {

void Turns::run(const std::vector<std::function<void()>>& programs) {
  programs_.assign(programs.size(), {});
  current_ = 0;
  given_up_ = false;
  std::vector<std::thread> threads;
  for (std::size_t p = 0; p < programs.size(); ++p) {
    threads.emplace_back([this, p, &programs] {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return current_ == p; });
      lock.unlock();
      programs[p]();
      lock.lock();
      programs_[p].ended = true;
      pass();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void Turns::wait(std::function<bool()> condition) {
  std::unique_lock lock(mutex_);
  const std::size_t me = current_;
  programs_[me].condition = std::move(condition);
  pass();
  changed_.wait(lock, [&] { return current_ == me; });
  programs_[me].condition = nullptr;
}

std::size_t Turns::ready_after(std::size_t index) const {
  for (std::size_t step = 1; step <= programs_.size(); ++step) {
    const std::size_t p = (index + step) % programs_.size();
    const Program& program = programs_[p];
    if (!program.ended && (given_up_ || !program.condition || program.condition())) return p;
  }
  return programs_.size();
}

void Turns::pass() {
  const bool all_ended =
      std::all_of(programs_.begin(), programs_.end(), [](const Program& program) { return program.ended; });
  if (all_ended) return;
  std::size_t next = ready_after(current_);
  if (next == programs_.size()) {
    simulate_([this] { return ready_after(current_) != programs_.size(); });
    next = ready_after(current_);
  }
  current_ = next;
  changed_.notify_all();
}

}  // namespace heddle::runtime
