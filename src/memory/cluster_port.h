// The port that the SMs of a cluster share into the network.
//
// Packets come from the SMs' own ports after half of the network's latency and pass one at a time, in the order in
// which they came; those that came together in the order of SMs. Answers come in likewise. What waits here is bounded
// by the credits of the SMs and by what they have asked for.
#pragma once

#include <vector>

#include "memory/address_map.h"
#include "memory/network.h"
#include "sim/engine.h"
#include "sim/statistic.h"

namespace heddle::memory {

struct ClusterStatistics : sim::StatisticGroup {
  ClusterStatistics(sim::StatisticGroup& parent, const std::string& name) : StatisticGroup(parent, name) {}
  sim::Counter requests{*this, "requests", "packets", "Packets of its SMs that have passed the port."};
  sim::Counter responses{*this, "responses", "packets", "Packets to its SMs that have passed the port."};
  sim::Counter waited{*this, "waited", "core cycles", "Time that packets waited for the port, summed."};
};

class ClusterPort final : public sim::Shard {
 public:
  ClusterPort(Network& network, const AddressMap& map, sim::StatisticGroup& statistics, unsigned index);

  void run(sim::Cycle begin, sim::Cycle end) override;
  void receive() override;
  [[nodiscard]] bool idle() const { return up_.empty() && down_.empty(); }
  [[nodiscard]] std::string describe() const;

 private:
  /// One direction.
  template <typename Message>
  struct Lane {
    explicit Lane(const Network& network) : port(network.make_port()) {}
    [[nodiscard]] bool empty() const { return head == messages.size(); }
    [[nodiscard]] sim::Cycle next() const {
      return empty() ? sim::kNever : std::max(messages[head].arrival, port.free_at());
    }
    sim::Cycle collect(sim::Inbox<Message>& inbox) {
      messages.erase(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(head));
      head = 0;
      return inbox.collect(messages);
    }
    std::vector<Message> messages;
    std::size_t head = 0;
    Port port;
  };
  void pass_request(sim::Cycle now);
  void pass_response(sim::Cycle now);

  Network& network_;
  const AddressMap& map_;
  unsigned index_;
  ClusterStatistics statistics_;
  Lane<Request> up_;
  Lane<Response> down_;
};

}  // namespace heddle::memory
