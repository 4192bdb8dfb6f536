// The engine: shards that simulate a quantum of time on their own, then exchange messages.
//
// All shards run side by side on the host threads. A message between shards takes at least one quantum, so nothing that
// a shard does in a quantum can reach another one within it, and the result does not depend on the number of threads or
// on which of them runs a shard. After each quantum comes the serial step, on one thread: what shards share beside
// messages (blocks to be run, for instance) changes only there.
//
// What shards write to memory that all share becomes visible between quanta, too: shards publish it in parts, each part
// shard by shard in order. Parts have nothing in common, so several threads take them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/exchange.h"
#include "sim/time.h"

namespace heddle::sim {

class alignas(kCacheLine) Shard {
 public:
  /// Into which shards divide what they publish.
  static constexpr unsigned kParts = 16;

  explicit Shard(Bell& bell) : bell_(bell) {}
  virtual ~Shard() = default;
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  /// Simulates core cycles [begin, end).
  virtual void run(Cycle begin, Cycle end) = 0;
  /// Takes what is in its inboxes. Called at the start of a quantum if there is anything, also if it sleeps on.
  virtual void receive() = 0;
  /// Between quanta, of a shard that has something to publish: writes that part of it, of kParts. Called for all parts,
  /// by different threads.
  virtual void publish(unsigned /*part*/) const {}
  /// The next cycle in which this shard has something to do, as far as it knows; kNever if none.
  [[nodiscard]] Cycle wakes_at() const { return wake_; }
  /// Whether it has something for the serial step.
  [[nodiscard]] bool reports() const { return reports_; }
  /// How much it has to publish.
  [[nodiscard]] std::size_t publishes() const { return publishes_; }
  [[nodiscard]] Bell& bell() { return bell_; }

 protected:
  void wake_by(Cycle when) { wake_ = std::min(wake_, when); }

  Cycle wake_ = kNever;
  bool reports_ = false;
  std::size_t publishes_ = 0;

 private:
  Bell& bell_;
};

class Engine {
 public:
  struct Hooks {
    /// Runs after each quantum, on one thread. `end` is the end of the quantum; `reporting` are the shards that have
    /// something for it, by number, in order.
    std::function<void(Cycle end, const std::vector<unsigned>& reporting)> serial;
    /// The next cycle in which the serial step has something to do of its own; kNever if none.
    std::function<Cycle()> wakes_at;
    /// Asked after every quantum; true ends the run.
    std::function<bool(Cycle now)> finished;
    /// What to say when nothing can move any more; throws where it knows better.
    std::function<std::string()> explain_stall;
  };

  /// Shards are numbered in the order given. They run on as many threads as the exchange has been made for.
  Engine(std::vector<Shard*> shards, Exchange& exchange, Cycle quantum);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Simulates from `now` on until finished() says so; returns the cycle reached. Throws InvariantError when no shard
  /// has anything left to do although the run is not finished.
  Cycle run(Cycle now, const Hooks& hooks);

 private:
  [[nodiscard]] Cycle next_wake(const Hooks& hooks);

  std::vector<Shard*> shards_;
  Exchange& exchange_;
  Cycle quantum_;
  std::vector<unsigned> reporting_;
  class Crew;
  std::unique_ptr<Crew> crew_;
};

}  // namespace heddle::sim
