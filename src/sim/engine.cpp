#include "sim/engine.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <utility>

#include "base/check.h"

namespace heddle::sim {

namespace {

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

/// Runs quanta of all shards on a fixed set of threads, again and again, with as little waiting in between as possible:
/// workers spin for a moment before they sleep, because quanta are microseconds long.
///
/// Each thread has a list of shards. When it is through it helps others with theirs. A shard stays with the thread that
/// ran it last: so work spreads by itself, and a shard's data stays in the caches of its thread.
class Engine::Crew {
 public:
  Crew(std::vector<Shard*>& shards, Exchange& exchange)
      : shards_(shards), exchange_(exchange), seats_(std::max(exchange.threads(), 1u)) {
    for (unsigned s = 0; s < shards_.size(); ++s) seats_[s % seats_.size()].lists[0].push_back(s);
    for (unsigned t = 1; t < seats_.size(); ++t) workers_.emplace_back([this, t] { work(t); });
  }
  ~Crew() {
    stop_ = true;
    next_round();
    for (std::thread& worker : workers_) worker.join();
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Simulates [begin, end) in all shards that have something to do. The first exception by thread number is rethrown.
  void run(Cycle begin, Cycle end) {
    begin_ = begin;
    end_ = end;
    side_ ^= 1;
    all(Job::simulate);
    for (Seat& seat : seats_) {
      if (seat.error) std::rethrow_exception(std::exchange(seat.error, nullptr));
    }
  }
  /// What shards have written in the last quantum becomes visible.
  void publish() {
    publishing_.clear();
    std::size_t amount = 0;
    for (const Seat& seat : seats_) {
      publishing_.insert(publishing_.end(), seat.publishing.begin(), seat.publishing.end());
      amount += seat.published;
    }
    std::sort(publishing_.begin(), publishing_.end());
    if (workers_.empty() || amount < kWorthSharing) {
      for (const unsigned number : publishing_) {
        for (unsigned part = 0; part < Shard::kParts; ++part) shards_[number]->publish(part);
      }
      return;
    }
    parts_taken_.store(0, std::memory_order_relaxed);
    all(Job::publish);
  }
  /// Of the last quantum: when the first shard wakes, as far as shards know by themselves.
  [[nodiscard]] Cycle wakes_at() const {
    Cycle next = kNever;
    for (const Seat& seat : seats_) next = std::min(next, seat.wakes_at);
    return next;
  }
  /// Of the last quantum: the shards that have something for the serial step.
  void gather(std::vector<unsigned>& reporting) const {
    reporting.clear();
    for (const Seat& seat : seats_) reporting.insert(reporting.end(), seat.reporting.begin(), seat.reporting.end());
    std::sort(reporting.begin(), reporting.end());
  }

 private:
  static constexpr unsigned kSpins = 2000;
  /// To let all threads publish takes a barrier, which is worth some fifty words.
  static constexpr std::size_t kWorthSharing = 64;
  enum class Job { simulate, publish };

  /// What belongs to one thread. Lists change sides every quantum: shards are taken from one side, by anybody, and put
  /// on the other of the thread that took them.
  struct alignas(kCacheLine) Seat {
    std::array<std::vector<unsigned>, 2> lists;
    std::vector<unsigned> reporting;
    std::vector<unsigned> publishing;
    std::size_t published = 0;  ///< by these, together
    Cycle wakes_at = kNever;
    std::exception_ptr error;
    struct alignas(kCacheLine) Taken {
      std::atomic<std::size_t> count{0};
    };
    std::array<Taken, 2> taken;  ///< by side: shards of the list that somebody has taken
  };

  /// Lets all threads do the job, and waits for them.
  void all(Job job) {
    job_ = job;
    left_.store(static_cast<unsigned>(workers_.size()), std::memory_order_relaxed);
    next_round();
    attempt(0);
    for (unsigned spin = 0; left_.load(std::memory_order_acquire) != 0; ++spin) {
      if (spin < kSpins) {
        pause_briefly();
      } else {
        std::this_thread::yield();
      }
    }
  }

  void next_round() {
    round_.fetch_add(1, std::memory_order_release);
    if (!workers_.empty()) round_.notify_all();
  }

  void attempt(unsigned thread) {
    if (job_ == Job::publish) return publish_parts();
    Seat& own = seats_[thread];
    const std::size_t side = side_;
    own.lists[side ^ 1].clear();
    own.taken[side ^ 1].count.store(0, std::memory_order_relaxed);
    own.reporting.clear();
    own.publishing.clear();
    own.published = 0;
    own.wakes_at = kNever;
    try {
      for (std::size_t s = 0; s < seats_.size(); ++s) help(seats_[(thread + s) % seats_.size()], side, own);
    } catch (...) {
      own.error = std::current_exception();
    }
  }

  void publish_parts() {
    for (;;) {
      const unsigned part = parts_taken_.fetch_add(1, std::memory_order_relaxed);
      if (part >= Shard::kParts) return;
      for (const unsigned number : publishing_) shards_[number]->publish(part);
    }
  }

  void help(Seat& other, std::size_t side, Seat& own) {
    const std::vector<unsigned>& list = other.lists[side];
    std::atomic<std::size_t>& taken = other.taken[side].count;
    while (taken.load(std::memory_order_relaxed) < list.size()) {
      const std::size_t at = taken.fetch_add(1, std::memory_order_relaxed);
      if (at >= list.size()) return;
      const unsigned number = list[at];
      own.lists[side ^ 1].push_back(number);
      Shard& shard = *shards_[number];
      receive(shard);
      if (shard.wakes_at() < end_) {
        shard.run(begin_, end_);
        if (shard.reports()) own.reporting.push_back(number);
        if (shard.publishes() != 0) {
          own.publishing.push_back(number);
          own.published += shard.publishes();
        }
      }
      own.wakes_at = std::min(own.wakes_at, shard.wakes_at());
    }
  }

  void receive(Shard& shard) const {
    const unsigned side = exchange_.receiving();
    if (!shard.bell().rung(side)) return;
    shard.bell().silence(side);
    shard.receive();
  }

  void work(unsigned thread) {
    host_thread = thread;
    std::uint64_t seen = 0;
    for (;;) {
      for (unsigned spin = 0; round_.load(std::memory_order_acquire) == seen; ++spin) {
        if (spin < kSpins) {
          pause_briefly();
        } else {
          round_.wait(seen, std::memory_order_acquire);
        }
      }
      ++seen;
      if (stop_) return;
      attempt(thread);
      left_.fetch_sub(1, std::memory_order_release);
    }
  }

  friend class Engine;

  std::vector<Shard*>& shards_;
  Exchange& exchange_;
  std::vector<Seat> seats_;
  std::vector<std::thread> workers_;
  Cycle begin_ = 0;
  Cycle end_ = 0;
  Job job_ = Job::simulate;
  std::size_t side_ = 1;              ///< of the seats' lists: the one from which shards are taken
  std::vector<unsigned> publishing_;  ///< of the last quantum, in order
  std::atomic<bool> stop_{false};
  alignas(kCacheLine) std::atomic<std::uint64_t> round_{0};
  alignas(kCacheLine) std::atomic<unsigned> left_{0};
  alignas(kCacheLine) std::atomic<unsigned> parts_taken_{0};
};

Engine::Engine(std::vector<Shard*> shards, Exchange& exchange, Cycle quantum)
    : shards_(std::move(shards)),
      exchange_(exchange),
      quantum_(quantum),
      crew_(std::make_unique<Crew>(shards_, exchange_)) {
  HEDDLE_CHECK(quantum_ > 0, "a quantum has at least one cycle");
}

Engine::~Engine() = default;

/// When the first shard has something to do, messages on their way included.
Cycle Engine::next_wake(const Hooks& hooks) {
  Cycle next = kNever;
  for (Shard* shard : shards_) {
    crew_->receive(*shard);
    next = std::min(next, shard->wakes_at());
  }
  return hooks.wakes_at ? std::min(next, hooks.wakes_at()) : next;
}

Cycle Engine::run(Cycle now, const Hooks& hooks) {
  Cycle begin = now;
  Cycle end = now;
  for (bool busy = false;;) {
    // While some shard goes right on there is no need to ask the others.
    const Cycle next = busy ? end : next_wake(hooks);
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
    crew_->run(begin, end);
    crew_->publish();
    crew_->gather(reporting_);
    if (hooks.serial) hooks.serial(end, reporting_);
    exchange_.turn_over();
    now = end;
    busy = crew_->wakes_at() < end + quantum_;
    if (hooks.finished(end)) return end;
  }
}

}  // namespace heddle::sim
