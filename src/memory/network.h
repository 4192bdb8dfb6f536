// The crossbar between SMs and memory partitions.
//
// Each SM and each partition has one port into each of the two networks (requests, responses). A port moves
// `bytes_per_cycle`, a partition's (which stands for the ports of all its slices) `partition_bytes_per_cycle`; a packet
// occupies its sender's port while it leaves and its receiver's port while it arrives, and spends `latency` cycles in
// between. A sender holds credits for each receiver's input queue and waits when it has none.
//
// Ports move at the network's clock, which may be another than the core's. SMs may share a port in clusters
// (memory/cluster_port.h): then half of the latency lies before the cluster's port and half behind it.
//
// Beside requests and responses, probes go to SMs: others ask them to drop a line or all of them.
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
  sim::Parameter<unsigned> clock_mhz{
      *this, "clock_mhz", 0, {0, 10000}, "MHz", "Clock of the ports, which widths refer to; 0: the core's."};
  sim::Parameter<unsigned> cluster_sms{
      *this, "cluster_sms", 1, {1, 256}, "SMs", "SMs that share a port; each has one of its own to the cluster's."};
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

/// What an SM has done about a probe.
struct ProbeAnswer {
  std::uint32_t id = 0;  ///< the asker's own name for it
  std::uint16_t sm = 0;
  sim::Cycle arrival = 0;
  [[nodiscard]] std::uint16_t sender() const { return sm; }
};

/// Asks an SM to give up what its L1 has. What is dirty goes to the L2 first; the answer says that it is there.
struct Probe {
  enum class Kind : std::uint8_t {
    invalidate,  ///< one line
    page,        ///< the page around a virtual line: a virtual L1 that has any line of it gives up everything
    flush,       ///< everything
    synonym,     ///< nothing: lines of the page around `own` are cached under the name of that around `line`
    names,       ///< nothing: the page around `line` may not be another's name any more, nor another its name
  };
  Kind kind = Kind::invalidate;
  std::uint8_t page_bits = 12;  ///< of a page: 2 to the power of so many bytes
  LineTag line;
  LineTag own{};                                 ///< of a synonym
  sim::Inbox<ProbeAnswer>* answer_to = nullptr;  ///< if anybody waits for it
  std::uint32_t id = 0;
  std::uint16_t asker = 0;  ///< for the order of those that come in one cycle
  sim::Cycle arrival = 0;
  [[nodiscard]] std::uint16_t sender() const { return asker; }
};

/// The time of a port, through which one packet passes at a time, so many network cycles long. Exact: what rounding up
/// to core cycles takes from one packet, it gives back to the next, if that follows at once.
class Port {
 public:
  /// Clocks in MHz; equal if the network's is 0.
  Port(unsigned mhz, unsigned core_mhz) : mhz_(mhz == 0 ? core_mhz : mhz), core_mhz_(core_mhz) {}
  [[nodiscard]] sim::Cycle free_at() const { return free_at_; }
  /// A packet begins to pass at `now`, not before free_at(). Returns the core cycle in which it has passed.
  sim::Cycle occupy(sim::Cycle now, std::uint64_t ticks) {
    if (mhz_ == core_mhz_) return free_at_ = now + ticks;
    const std::uint64_t parts = ticks * core_mhz_ - (now == free_at_ ? early_ : 0);
    const sim::Cycle cycles = (parts + mhz_ - 1) / mhz_;
    early_ = cycles * mhz_ - parts;
    return free_at_ = now + cycles;
  }

 private:
  std::uint64_t mhz_;
  std::uint64_t core_mhz_;
  sim::Cycle free_at_ = 0;
  std::uint64_t early_ = 0;  ///< it was free so much earlier than free_at_, in core cycles times mhz_
};

class Network {
 public:
  template <typename Message>
  using Inbox = sim::Inbox<Message>;
  struct Size {
    std::size_t sms = 0;
    std::size_t partitions = 0;
    std::size_t others = 0;  ///< ports behind those of the SMs, never in a cluster
    unsigned core_mhz = 1;
  };

  Network(const NetworkParameters& parameters, const sim::Exchange& exchange, const Size& size)
      : parameters_(parameters),
        exchange_(exchange),
        size_(size),
        sm_bells_(size.sms + size.others),
        partition_bells_(size.partitions),
        cluster_bells_(parameters.cluster_sms == 1 ? 0 : clusters()) {
    for (sim::Bell& bell : partition_bells_) requests_.push_back(std::make_unique<Inbox<Request>>(exchange, bell));
    for (sim::Bell& bell : sm_bells_) {
      responses_.push_back(std::make_unique<Inbox<Response>>(exchange, bell));
      credits_.push_back(std::make_unique<Inbox<Credit>>(exchange, bell));
      probes_.push_back(std::make_unique<Inbox<Probe>>(exchange, bell));
    }
    for (sim::Bell& bell : cluster_bells_) {
      cluster_requests_.push_back(std::make_unique<Inbox<Request>>(exchange, bell));
      cluster_responses_.push_back(std::make_unique<Inbox<Response>>(exchange, bell));
    }
  }
  [[nodiscard]] const sim::Exchange& exchange() const { return exchange_; }
  [[nodiscard]] Port make_port() const { return {parameters_.clock_mhz, size_.core_mhz}; }
  [[nodiscard]] std::size_t sms() const { return size_.sms; }
  /// SMs share ports.
  [[nodiscard]] bool clustered() const { return !cluster_bells_.empty(); }
  [[nodiscard]] unsigned clusters() const {
    return static_cast<unsigned>((size_.sms + parameters_.cluster_sms - 1) / parameters_.cluster_sms);
  }
  /// The shortest way from one shard to another, in core cycles.
  [[nodiscard]] sim::Cycle shortest() const { return clustered() ? before_cluster() : parameters_.latency.get(); }
  [[nodiscard]] sim::Cycle before_cluster() const { return parameters_.latency / 2; }
  [[nodiscard]] sim::Cycle behind_cluster() const { return parameters_.latency - before_cluster(); }

  /// A packet leaves an SM's port.
  void send(Request request, std::uint32_t slice, sim::Cycle leaves) {
    if (clustered() && request.sm < size_.sms) {
      request.arrival = leaves + before_cluster();
      cluster_requests_[request.sm / parameters_.cluster_sms]->send(request);
    } else {
      request.arrival = leaves + parameters_.latency;
      requests_[slice]->send(request);
    }
  }
  /// A packet leaves a partition's port.
  void send(Response response, sim::Cycle leaves) {
    if (clustered() && response.sm < size_.sms) {
      response.arrival = leaves + behind_cluster();
      cluster_responses_[response.sm / parameters_.cluster_sms]->send(response);
    } else {
      response.arrival = leaves + parameters_.latency;
      responses_[response.sm]->send(response);
    }
  }
  /// Rung for every message to that SM, whatever inbox it goes to; likewise for a partition.
  [[nodiscard]] sim::Bell& sm_bell(std::size_t sm) { return sm_bells_[sm]; }
  [[nodiscard]] sim::Bell& partition_bell(std::size_t partition) { return partition_bells_[partition]; }
  [[nodiscard]] Inbox<Request>& requests(std::size_t partition) { return *requests_[partition]; }
  [[nodiscard]] Inbox<Response>& responses(std::size_t sm) { return *responses_[sm]; }
  [[nodiscard]] Inbox<Credit>& credits(std::size_t sm) { return *credits_[sm]; }
  /// A probe takes the network's latency, and so does its answer.
  [[nodiscard]] Inbox<Probe>& probes(std::size_t sm) { return *probes_[sm]; }
  [[nodiscard]] sim::Bell& cluster_bell(std::size_t cluster) { return cluster_bells_[cluster]; }
  [[nodiscard]] Inbox<Request>& cluster_requests(std::size_t cluster) { return *cluster_requests_[cluster]; }
  [[nodiscard]] Inbox<Response>& cluster_responses(std::size_t cluster) { return *cluster_responses_[cluster]; }
  [[nodiscard]] const NetworkParameters& parameters() const { return parameters_; }
  /// Network cycles that a packet with this much data occupies the port of an SM.
  [[nodiscard]] std::uint64_t occupancy(unsigned data_bytes) const {
    return cycles(data_bytes, parameters_.bytes_per_cycle);
  }
  /// Likewise that of a partition.
  [[nodiscard]] std::uint64_t partition_occupancy(unsigned data_bytes) const {
    return cycles(data_bytes, parameters_.partition_bytes_per_cycle);
  }

 private:
  [[nodiscard]] std::uint64_t cycles(unsigned data_bytes, unsigned width) const {
    return (data_bytes + parameters_.header_bytes + width - 1) / width;
  }

  const NetworkParameters& parameters_;
  const sim::Exchange& exchange_;
  Size size_;
  std::vector<sim::Bell> sm_bells_;
  std::vector<sim::Bell> partition_bells_;
  std::vector<sim::Bell> cluster_bells_;
  std::vector<std::unique_ptr<Inbox<Request>>> requests_;
  std::vector<std::unique_ptr<Inbox<Response>>> responses_;
  std::vector<std::unique_ptr<Inbox<Credit>>> credits_;
  std::vector<std::unique_ptr<Inbox<Probe>>> probes_;
  std::vector<std::unique_ptr<Inbox<Request>>> cluster_requests_;
  std::vector<std::unique_ptr<Inbox<Response>>> cluster_responses_;
};

}  // namespace heddle::memory
