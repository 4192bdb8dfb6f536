// The crossbar between SMs and memory partitions.
//
// Each SM and each partition has one port into each of the two networks (requests, responses). A port moves
// `bytes_per_cycle`, a partition's (which stands for the ports of all its slices) `partition_bytes_per_cycle`; a packet
// occupies its sender's port while it leaves and its receiver's port while it arrives, and spends `latency` cycles in
// between. A sender holds credits for each receiver's input queue and waits when it has none.
//
// What is on its way is in the receivers' inboxes (sim/exchange.h).
#pragma once

#include <memory>
#include <vector>

#include "memory/request.h"
#include "sim/exchange.h"
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

/// A credit that goes back to an SM.
struct Credit {
  std::uint16_t partition = 0;
  sim::Cycle arrival = 0;
  [[nodiscard]] std::uint16_t sender() const { return partition; }
};

class Network {
 public:
  template <typename Message>
  using Inbox = sim::Inbox<Message>;

  Network(const NetworkParameters& parameters, const sim::Exchange& exchange, std::size_t sms, std::size_t partitions)
      : parameters_(parameters), sm_bells_(sms), partition_bells_(partitions) {
    for (sim::Bell& bell : partition_bells_) requests_.push_back(std::make_unique<Inbox<Request>>(exchange, bell));
    for (sim::Bell& bell : sm_bells_) {
      responses_.push_back(std::make_unique<Inbox<Response>>(exchange, bell));
      credits_.push_back(std::make_unique<Inbox<Credit>>(exchange, bell));
    }
  }
  /// Rung for every message to that SM, whatever inbox it goes to; likewise for a partition.
  [[nodiscard]] sim::Bell& sm_bell(std::size_t sm) { return sm_bells_[sm]; }
  [[nodiscard]] sim::Bell& partition_bell(std::size_t partition) { return partition_bells_[partition]; }
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
  std::vector<sim::Bell> sm_bells_;
  std::vector<sim::Bell> partition_bells_;
  std::vector<std::unique_ptr<Inbox<Request>>> requests_;
  std::vector<std::unique_ptr<Inbox<Response>>> responses_;
  std::vector<std::unique_ptr<Inbox<Credit>>> credits_;
};

}  // namespace heddle::memory
