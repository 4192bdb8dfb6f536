// Several host programs that share a simulated GPU, each written as if it had the GPU to itself.
//
// Each runs on a thread of its own, but only one at a time: the turn passes on when a program waits for the GPU, to the
// next program that need not wait. When all of them wait, the GPU is simulated until one of them need not. So the order
// of everything is fixed, and no program needs a lock.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

namespace heddle::runtime {

class Turns {
 public:
  /// Simulates until one of the conditions that it is given holds. Must not throw.
  using Simulate = std::function<void(const std::function<bool()>&)>;
  explicit Turns(Simulate simulate) : simulate_(std::move(simulate)) {}

  /// Runs all programs to their ends. Exceptions are theirs to catch.
  void run(const std::vector<std::function<void()>>& programs);
  /// Called by a program: returns when the condition holds, or when give_up() was called.
  void wait(std::function<bool()> condition);
  /// Nobody shall wait any more; what they wait for will not come.
  void give_up() { given_up_ = true; }

 private:
  struct Program {
    std::function<bool()> condition;  ///< what it waits for; empty: nothing
    bool ended = false;
  };
  /// The next program that may go on, after this one in the round; programs_.size() if none.
  [[nodiscard]] std::size_t ready_after(std::size_t index) const;
  /// Passes the turn on; called with the lock held.
  void pass();

  Simulate simulate_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Program> programs_;
  std::size_t current_ = 0;
  bool given_up_ = false;
};

}  // namespace heddle::runtime
