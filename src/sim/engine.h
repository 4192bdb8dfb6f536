// The engine: shards that simulate a quantum of time on their own, then exchange messages.
//
// Front shards (the SMs) run first, then the serial step, then back shards (the memory partitions); each group in
// parallel on the host threads. A message between shards takes at least one quantum, so nothing a shard does in a
// quantum can reach another one within it, and the result does not depend on the number of threads.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/time.h"

namespace heddle::sim {

class Shard {
 public:
  virtual ~Shard() = default;
  /// Simulates core cycles [begin, end).
  virtual void run(Cycle begin, Cycle end) = 0;
  /// The next cycle in which this shard has something to do, messages under way to it included; kNever if none.
  [[nodiscard]] virtual Cycle wakes_at() const = 0;
};

class Engine {
 public:
  struct Hooks {
    /// Runs between the groups, on one thread. `end` is the end of the quantum.
    std::function<void(Cycle end)> serial;
    /// The next cycle in which the serial step has something to do of its own; kNever if none.
    std::function<Cycle()> wakes_at;
    /// Asked after every quantum; true ends the run.
    std::function<bool(Cycle now)> finished;
    /// What to say when nothing can move any more; throws where it knows better.
    std::function<std::string()> explain_stall;
  };

  Engine(std::vector<Shard*> front, std::vector<Shard*> back, Cycle quantum, unsigned threads);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Simulates from `now` on until finished() says so; returns the cycle reached. Throws InvariantError when no shard
  /// has anything left to do although the run is not finished.
  Cycle run(Cycle now, const Hooks& hooks);

 private:
  std::vector<Shard*> front_;
  std::vector<Shard*> back_;
  Cycle quantum_;
  unsigned threads_;
  class Crew;
  std::unique_ptr<Crew> crew_;
};

}  // namespace heddle::sim
