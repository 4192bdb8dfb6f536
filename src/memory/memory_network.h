// Messages between those who ask DRAM (L2 slices, an IOMMU) and the channels, where these are shards of their own.
#pragma once

#include <memory>
#include <vector>

#include "memory/address_map.h"
#include "memory/memory_link.h"
#include "memory/network.h"
#include "sim/exchange.h"

namespace heddle::memory {

struct DramMessage {
  DramRequest request;  ///< at an address of the channel, with the slice's token
  sim::Cycle arrival = 0;
  std::uint16_t asker = 0;  ///< who gets the answer: a slice, or another part that asks, numbered behind them
  [[nodiscard]] std::uint16_t sender() const { return asker; }
};

struct DramAnswer {
  std::uint32_t token = 0;
  std::uint16_t channel = 0;
  sim::Cycle arrival = 0;
  [[nodiscard]] std::uint16_t sender() const { return channel; }
};

/// What is on its way between those who ask and the channels.
class MemoryNetwork {
 public:
  /// `others`: the bells of parts that reach channels beside the slices, numbered behind them.
  MemoryNetwork(const sim::Exchange& exchange, Network& network, unsigned slices, unsigned channels,
                const std::vector<sim::Bell*>& others = {})
      : channel_bells_(channels) {
    for (sim::Bell& bell : channel_bells_)
      requests_.push_back(std::make_unique<sim::Inbox<DramMessage>>(exchange, bell));
    for (unsigned s = 0; s < slices; ++s)
      answers_.push_back(std::make_unique<sim::Inbox<DramAnswer>>(exchange, network.partition_bell(s)));
    for (sim::Bell* bell : others) answers_.push_back(std::make_unique<sim::Inbox<DramAnswer>>(exchange, *bell));
  }
  [[nodiscard]] sim::Bell& channel_bell(std::size_t channel) { return channel_bells_[channel]; }
  [[nodiscard]] sim::Inbox<DramMessage>& requests(std::size_t channel) { return *requests_[channel]; }
  [[nodiscard]] sim::Inbox<DramAnswer>& answers(std::size_t asker) { return *answers_[asker]; }

 private:
  std::vector<sim::Bell> channel_bells_;
  std::vector<std::unique_ptr<sim::Inbox<DramMessage>>> requests_;
  std::vector<std::unique_ptr<sim::Inbox<DramAnswer>>> answers_;
};

/// A part's way to all channels.
class ChannelPort {
 public:
  /// `latency`: core cycles to a channel.
  ChannelPort(MemoryNetwork& network, const AddressMap& channels, sim::Cycle latency, unsigned burst_bytes)
      : network_(network), channels_(channels), latency_(latency), burst_bytes_(burst_bytes) {}

  /// Asks for the bursts that cover these units of the line; `asker` gets an answer to each. Returns how many.
  unsigned transfer(PhysLine line, std::uint32_t units, const DramRequest& request, std::uint16_t asker,
                    sim::Cycle now) const {
    const AddressMap::Place place = channels_.place(line, request.application);
    DramMessage message{request, now + latency_, asker};
    unsigned bursts = 0;
    for_each_burst(units, burst_bytes_, [&](unsigned offset) {
      message.request.address = (place.local + offset) / burst_bytes_ * burst_bytes_;
      network_.requests(place.partition).send(message);
      ++bursts;
    });
    return bursts;
  }
  [[nodiscard]] sim::Inbox<DramAnswer>& answers(std::size_t asker) const { return network_.answers(asker); }
  [[nodiscard]] unsigned burst_bytes() const { return burst_bytes_; }

 private:
  MemoryNetwork& network_;
  const AddressMap& channels_;
  sim::Cycle latency_;
  unsigned burst_bytes_;
};

}  // namespace heddle::memory
