// What lies between L2 slices and one DRAM channel: the way there, the queue in front of the controller, the channel's
// clock.
//
// It belongs to a shard, which steps it through core cycles: a Partition, which has its slice as well, or a
// ChannelShard.
#pragma once

#include <memory>
#include <vector>

#include "base/ring.h"
#include "memory/admission.h"
#include "memory/dram.h"
#include "sim/time.h"

namespace heddle::memory {

class Channel {
 public:
  struct Setup {
    const DramParameters& parameters;
    sim::StatisticGroup& statistics;
    double core_mhz = 0;
    unsigned queue = 0;  ///< requests that may wait in front of the controller
    unsigned way = 0;    ///< core cycles to the controller; the way holds one request for each
    std::uint16_t index = 0;
    unsigned applications = 1;  ///< with more than one, each is counted apart
    SharingBoard* board = nullptr;
  };
  explicit Channel(const Setup& setup);

  /// Whether the queue in front of the controller and the way to it are full, for a sender that asks before each line.
  [[nodiscard]] bool full() const { return waiting() >= queue_ + way_; }
  /// A request that reaches the queue at `arrival`, not before those that were sent earlier.
  void send(const DramRequest& request, sim::Cycle arrival) { on_way_.push_back({arrival, request}); }
  /// Simulates one core cycle: the channel's ticks in it. Tokens of what is done are appended. Returns whether the
  /// queue has moved.
  bool step(sim::Cycle now, std::vector<std::uint32_t>& done);
  /// The next core cycle from `from` on in which something happens; kNever if nothing is to be done.
  [[nodiscard]] sim::Cycle next(sim::Cycle from) const;
  [[nodiscard]] bool idle() const { return on_way_.empty() && waiting_.empty() && in_flight_ == 0; }
  [[nodiscard]] std::size_t waiting() const { return on_way_.size() + waiting_.size(); }
  [[nodiscard]] std::uint64_t in_flight() const { return in_flight_; }

 private:
  struct OnWay {
    sim::Cycle arrival = 0;
    DramRequest request;
  };
  bool feed(sim::Cycle now);
  [[nodiscard]] bool queue_full() const { return waiting_.size() >= queue_; }

  unsigned queue_;
  unsigned way_;
  DramChannel dram_;
  std::unique_ptr<DramAdmission> admission_;
  sim::Clock<DramCycle> clock_;
  Ring<OnWay> on_way_;
  Ring<DramRequest> waiting_;
  bool ask_ = false;        ///< something has changed since admission let nothing enter
  bool may_enter_ = false;  ///< admission would let something enter
  std::uint64_t in_flight_ = 0;
  DramCycle tick_ = 0;
  DramCycle next_tick_ = kNeverDram;  ///< at which the channel has something to do
};

}  // namespace heddle::memory
