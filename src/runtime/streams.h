// Streams: queues of work for the GPU. Work of one stream runs in order, work of different streams side by side.
//
// Host time is not modelled: everything a host program queues before it waits for something is there at the same
// simulated instant. With a timed GPU an operation that is at the head of its stream is asked to go on between quanta;
// without one, operations run when they are queued, which is an order that every stream allows.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>

#include "gpu/gpu.h"

namespace heddle::runtime {

using Stream = std::uint32_t;

class Operation {
 public:
  virtual ~Operation() = default;
  /// At the head of its stream, at this time: begins, goes on, or ends (then returns true and is not asked again).
  [[nodiscard]] virtual bool advance(sim::Cycle now) = 0;
  /// When it ends by itself; kNever if that depends on something else.
  [[nodiscard]] virtual sim::Cycle ends_at() const { return sim::kNever; }
};

/// One recording of an event: who waits for it is not released by a later one that is reached sooner.
struct Recording {
  bool reached = false;
  sim::Cycle at = 0;
};

/// A point in a stream.
struct EventState {
  std::shared_ptr<Recording> latest;  ///< nothing: never recorded

  [[nodiscard]] bool reached() const { return latest == nullptr || latest->reached; }
  [[nodiscard]] sim::Cycle at() const { return latest == nullptr ? 0 : latest->at; }
};

/// All streams of a machine.
class Streams final : public gpu::WorkSource {
 public:
  [[nodiscard]] Stream create(std::uint16_t application);
  /// What is queued still runs.
  void destroy(Stream stream);
  void push(Stream stream, std::unique_ptr<Operation> operation);
  [[nodiscard]] bool idle(Stream stream) const;
  [[nodiscard]] bool idle() const;
  [[nodiscard]] bool idle_of(std::uint16_t application) const;
  /// Drops everything: after a fault nothing that was queued may run.
  void clear();
  /// Likewise what an application has queued; what has begun ends.
  void drop(std::uint16_t application);
  /// Who hears of what an application did wrong.
  void on_fault(std::function<void(std::uint16_t, const exec::ProgramFault&)> listener) {
    listener_ = std::move(listener);
  }
  /// What run() of the GPU is to wait for.
  void wait_for(std::function<bool()> condition) { condition_ = std::move(condition); }

  void advance(sim::Cycle now) override;
  /// Whether an operation is being asked to go on: then nobody may wait for the machine.
  [[nodiscard]] bool advancing() const { return advancing_; }
  [[nodiscard]] sim::Cycle wakes_at() const override;
  void faulted(std::uint16_t application, const exec::ProgramFault& fault) override { listener_(application, fault); }
  [[nodiscard]] bool finished() const override { return condition_(); }

 private:
  std::map<Stream, std::deque<std::unique_ptr<Operation>>> queues_;
  std::map<Stream, std::uint16_t> owners_;
  std::function<void(std::uint16_t, const exec::ProgramFault&)> listener_;
  Stream next_ = 1;
  bool advancing_ = false;
  std::function<bool()> condition_ = [] { return true; };
};

}  // namespace heddle::runtime
