#include "sim/engine.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <utility>

#include "base/check.h"

namespace heddle::sim {

/// Runs the same function on a fixed set of threads, again and again, with as little waiting in between as possible:
/// workers spin for a moment before they sleep, because quanta are microseconds long.
class Engine::Crew {
 public:
  explicit Crew(unsigned threads) : threads_(threads), errors_(threads) {
    for (unsigned t = 1; t < threads_; ++t) workers_.emplace_back([this, t] { work(t); });
  }
  ~Crew() {
    stop_ = true;
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Calls job(thread) on every thread and returns when all are done. The first exception by thread number is rethrown.
  void run(const std::function<void(unsigned)>& job) {
    if (threads_ == 1) return job(0);
    job_ = &job;
    left_.store(threads_ - 1, std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    attempt(0);
    for (unsigned spin = 0; left_.load(std::memory_order_acquire) != 0; ++spin) {
      if (spin > kSpins) std::this_thread::yield();
    }
    for (std::exception_ptr& error : errors_) {
      if (error) std::rethrow_exception(std::exchange(error, nullptr));
    }
  }

 private:
  static constexpr unsigned kSpins = 2000;

  void attempt(unsigned thread) {
    try {
      (*job_)(thread);
    } catch (...) {
      errors_[thread] = std::current_exception();
    }
  }
  void work(unsigned thread) {
    std::uint64_t seen = 0;
    for (;;) {
      for (unsigned spin = 0; round_.load(std::memory_order_acquire) == seen; ++spin) {
        if (spin > kSpins) round_.wait(seen, std::memory_order_acquire);
      }
      ++seen;
      if (stop_) return;
      attempt(thread);
      left_.fetch_sub(1, std::memory_order_release);
    }
  }

  unsigned threads_;
  std::vector<std::exception_ptr> errors_;
  std::vector<std::thread> workers_;
  const std::function<void(unsigned)>* job_ = nullptr;
  std::atomic<std::uint64_t> round_{0};
  std::atomic<unsigned> left_{0};
  std::atomic<bool> stop_{false};
};

Engine::Engine(std::vector<Shard*> front, std::vector<Shard*> back, Cycle quantum, unsigned threads)
    : front_(std::move(front)),
      back_(std::move(back)),
      quantum_(quantum),
      threads_(std::max(threads, 1u)),
      crew_(std::make_unique<Crew>(threads_)) {
  HEDDLE_CHECK(quantum_ > 0, "a quantum has at least one cycle");
}

Engine::~Engine() = default;

Cycle Engine::run(Cycle now, const Hooks& hooks) {
  Cycle begin = now;
  Cycle end = now;
  const auto run_group = [&](const std::vector<Shard*>& group) {
    const std::function<void(unsigned)> job = [&](unsigned thread) {
      // Shards go round the threads, so that neighbours, which tend to be equally busy, share the work.
      for (std::size_t s = thread; s < group.size(); s += threads_) {
        if (group[s]->wakes_at() < end) group[s]->run(begin, end);
      }
    };
    crew_->run(job);
  };
  for (;;) {
    Cycle next = kNever;
    for (const Shard* shard : front_) next = std::min(next, shard->wakes_at());
    for (const Shard* shard : back_) next = std::min(next, shard->wakes_at());
    if (hooks.wakes_at) next = std::min(next, hooks.wakes_at());
    if (next == kNever) {
      HEDDLE_CHECK(false,
                   "nothing can move any more\n" + (hooks.explain_stall ? hooks.explain_stall() : std::string()));
    }
    // Time jumps over quanta in which nothing happens.
    if (next >= end)
      begin = next / quantum_ * quantum_;
    else
      begin = end;
    begin = std::max(begin, now);
    end = (begin / quantum_ + 1) * quantum_;
    run_group(front_);
    if (hooks.serial) hooks.serial(end);
    run_group(back_);
    now = end;
    if (hooks.finished(end)) return end;
  }
}

}  // namespace heddle::sim
