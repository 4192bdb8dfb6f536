// The crossbar between SMs and memory partitions.
//
// Each SM and each partition has one port into each of the two networks (requests, responses). A port moves
// `bytes_per_cycle`, a partition's (which stands for the ports of all its slices) `partition_bytes_per_cycle`; a packet
// occupies its sender's port while it leaves and its receiver's port while it arrives, and spends `latency` cycles in
// between. A sender holds credits for each receiver's input queue and waits when it has none.
//
// Each (sender, receiver) mailbox is written by the sender's shard and emptied by the receiver's, never in the same
// phase of a quantum, so no locks are needed; `earliest` tells a sleeping receiver when to wake.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "memory/request.h"
#include "sim/parameter.h"

namespace heddle::memory {

struct NetworkParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Parameter<unsigned> latency{*this,     "latency",     20,
                                   {4, 1000}, "core cycles", "Time from one end of the network to the other."};
  sim::Parameter<unsigned> bytes_per_cycle{*this, "bytes_per_cycle", 32, {1, 1024}, "bytes", "Width of an SM's port."};
  sim::Parameter<unsigned> partition_bytes_per_cycle{*this,   "partition_bytes_per_cycle",
                                                     32,      {1, 1024},
                                                     "bytes", "Width of a partition's port, all its slices together."};
  sim::Parameter<unsigned> header_bytes{*this,   "header_bytes", 8,
                                        {0, 64}, "bytes",        "Bytes of a packet besides its data."};
  sim::Parameter<unsigned> queue{*this,    "queue",   8,
                                 {1, 256}, "packets", "Packets that may wait in front of an SM's request port."};
  sim::Parameter<unsigned> credits{*this,    "credits", 8,
                                   {1, 256}, "packets", "Packets of one SM that a partition's input queue holds."};
};

/// A mailbox column: everything on its way to one receiver.
template <typename Message>
class Inbox {
 public:
  explicit Inbox(std::size_t senders) : boxes_(senders) {}

  void send(std::size_t sender, const Message& message) {
    boxes_[sender].push_back(message);
    sim::Cycle seen = earliest_.load(std::memory_order_relaxed);
    while (message.arrival < seen &&
           !earliest_.compare_exchange_weak(seen, message.arrival, std::memory_order_relaxed)) {
    }
  }
  [[nodiscard]] sim::Cycle earliest() const { return earliest_.load(std::memory_order_relaxed); }

  /// Moves everything to `into`, ordered by arrival, then sender, then sending order.
  void collect(std::vector<Message>& into) {
    if (earliest() == sim::kNever) return;
    const auto middle = static_cast<std::ptrdiff_t>(into.size());
    for (std::vector<Message>& box : boxes_) {
      into.insert(into.end(), box.begin(), box.end());
      box.clear();
    }
    earliest_.store(sim::kNever, std::memory_order_relaxed);
    // What is already there came earlier, from every sender: a stable sort keeps the rule.
    const auto by_arrival = [](const Message& a, const Message& b) { return a.arrival < b.arrival; };
    if (static_cast<std::ptrdiff_t>(into.size()) - middle > kMany) {
      std::stable_sort(into.begin() + middle, into.end(), by_arrival);
      std::inplace_merge(into.begin(), into.begin() + middle, into.end(), by_arrival);
      return;
    }
    for (auto next = into.begin() + middle; next != into.end(); ++next)
      std::rotate(std::upper_bound(into.begin(), next, *next, by_arrival), next, next + 1);
  }

 private:
  static constexpr std::ptrdiff_t kMany = 32;  ///< messages that are worth a sort with memory of its own

  std::vector<std::vector<Message>> boxes_;
  std::atomic<sim::Cycle> earliest_{sim::kNever};
};

/// A credit that goes back to an SM.
struct Credit {
  std::uint16_t partition = 0;
  sim::Cycle arrival = 0;
};

class Network {
 public:
  Network(const NetworkParameters& parameters, std::size_t sms, std::size_t partitions) : parameters_(parameters) {
    for (std::size_t p = 0; p < partitions; ++p) requests_.push_back(std::make_unique<Inbox<Request>>(sms));
    for (std::size_t s = 0; s < sms; ++s) {
      responses_.push_back(std::make_unique<Inbox<Response>>(partitions));
      credits_.push_back(std::make_unique<Inbox<Credit>>(partitions));
    }
  }
  [[nodiscard]] Inbox<Request>& requests(std::size_t partition) { return *requests_[partition]; }
  [[nodiscard]] Inbox<Response>& responses(std::size_t sm) { return *responses_[sm]; }
  [[nodiscard]] Inbox<Credit>& credits(std::size_t sm) { return *credits_[sm]; }
  [[nodiscard]] const NetworkParameters& parameters() const { return parameters_; }
  /// Cycles a packet with this much data occupies the port of an SM.
  [[nodiscard]] sim::Cycle occupancy(unsigned data_bytes) const {
    return cycles(data_bytes, parameters_.bytes_per_cycle);
  }
  /// Likewise that of a partition.
  [[nodiscard]] sim::Cycle partition_occupancy(unsigned data_bytes) const {
    return cycles(data_bytes, parameters_.partition_bytes_per_cycle);
  }

 private:
  [[nodiscard]] sim::Cycle cycles(unsigned data_bytes, unsigned width) const {
    return (data_bytes + parameters_.header_bytes + width - 1) / width;
  }

  const NetworkParameters& parameters_;
  std::vector<std::unique_ptr<Inbox<Request>>> requests_;
  std::vector<std::unique_ptr<Inbox<Response>>> responses_;
  std::vector<std::unique_ptr<Inbox<Credit>>> credits_;
};

}  // namespace heddle::memory
