// An SM's port into the request network: a bounded queue, one packet at a time, and a credit for each packet that a
// partition's input queue may hold of this SM.
#pragma once

#include <algorithm>
#include <vector>

#include "base/ring.h"
#include "memory/address_map.h"
#include "memory/network.h"
#include "sim/statistic.h"

namespace heddle::memory {

class NetworkPort {
 public:
  NetworkPort(Network& network, const AddressMap& map, std::uint16_t sm)
      : network_(network),
        map_(map),
        sm_(sm),
        port_(network.make_port()),
        credits_(map.partitions(), network.parameters().credits) {}

  [[nodiscard]] bool full() const { return queue_.size() >= network_.parameters().queue; }
  [[nodiscard]] bool empty() const { return queue_.empty(); }
  [[nodiscard]] std::size_t size() const { return queue_.size(); }
  /// Queues a request; the caller has seen that there is room.
  void push(Request request) {
    request.sm = sm_;
    queue_.push_back({request, map_.slice(request.line, request.application)});
    ++unanswered_;
  }
  void answered() { --unanswered_; }
  [[nodiscard]] std::uint64_t unanswered() const { return unanswered_; }

  /// Takes the credits that are on their way to this SM; returns when they let a packet go that waits.
  [[nodiscard]] sim::Cycle collect_credits() {
    messages_.erase(messages_.begin(), messages_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
    const sim::Cycle first = network_.credits(sm_).collect(messages_);
    return queue_.empty() ? sim::kNever : first;
  }
  void take_credits(sim::Cycle now) {
    while (head_ < messages_.size() && messages_[head_].arrival <= now) ++credits_[messages_[head_++].partition];
  }
  /// Sends the first packet if the port is free and there is a credit. Returns whether it went.
  bool send(sim::Cycle now, sim::ApplicationCounter& bytes_out) {
    if (queue_.empty() || port_.free_at() > now) return false;
    Waiting& first = queue_.front();
    if (credits_[first.partition] == 0) return false;
    --credits_[first.partition];
    const unsigned data = first.request.kind == RequestKind::read ? 0 : first.request.bytes;
    bytes_out[first.request.application] += data;
    network_.send(first.request, first.partition, port_.occupy(now, network_.occupancy(data)));
    queue_.pop_front();
    return true;
  }
  /// The next cycle after `now` in which a packet may go, as far as this SM knows; a credit that is not collected yet
  /// wakes the SM by itself.
  [[nodiscard]] sim::Cycle next(sim::Cycle now) const {
    if (queue_.empty()) return sim::kNever;
    if (credits_[queue_.front().partition] != 0) return std::max(port_.free_at(), now + 1);
    return head_ < messages_.size() ? std::max(messages_[head_].arrival, now + 1) : sim::kNever;
  }

 private:
  struct Waiting {
    Request request;
    std::uint32_t partition = 0;
  };

  Network& network_;
  const AddressMap& map_;
  std::uint16_t sm_;
  Port port_;
  Ring<Waiting> queue_;
  std::vector<unsigned> credits_;
  std::vector<Credit> messages_;
  std::size_t head_ = 0;  ///< first of messages_ not yet taken
  std::uint64_t unanswered_ = 0;
};

}  // namespace heddle::memory
