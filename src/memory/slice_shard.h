// L2 slices and DRAM channels as shards of their own, joined by messages: any slice reaches any channel.
//
// A request takes half of l2.miss_latency to a channel, its answer the other half back. A slice has credits for each
// channel's queue, one for each burst, and gets them back with the answers; writes are answered as well, when DRAM has
// accepted them.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "memory/address_map.h"
#include "memory/channel.h"
#include "memory/l2_slice.h"
#include "memory/memory_network.h"
#include "sim/engine.h"

namespace heddle::memory {

class SliceShard final : public sim::Shard, private MemoryLink {
 public:
  struct Setup {
    const L2Parameters& l2;
    const DramParameters& dram;
    const AddressMap& channels;
    Network& network;
    MemoryNetwork& memory;
    sim::StatisticGroup& statistics;
    double core_mhz = 0;
    std::uint16_t index = 0;
    void (*perform_atomic)(AtomicPacket&, LaneMask) = nullptr;
    unsigned applications = 1;
    LineChecker* checker = nullptr;
    TableNetwork* table = nullptr;  ///< of a virtual L2
    const AddressMap& slices;
    SharingBoard* board = nullptr;
  };
  explicit SliceShard(const Setup& setup);

  void run(sim::Cycle begin, sim::Cycle end) override;
  void receive() override;
  [[nodiscard]] L2Slice& slice() { return slice_; }
  [[nodiscard]] const L2Slice& slice() const { return slice_; }
  /// Messages to the table so far.
  [[nodiscard]] std::uint64_t told_table() const { return table_ ? table_->sent() : 0; }

 private:
  [[nodiscard]] bool full(PhysLine line, std::uint16_t application) const override {
    return credits_[channels_.place(line, application).partition] <= 0;
  }
  void transfer(PhysLine line, std::uint32_t units, const DramRequest& request, sim::Cycle now) override;
  void take_table(sim::Cycle now);

  const AddressMap& channels_;
  ChannelPort port_;
  std::optional<TableLink> table_;  ///< of a virtual L2
  std::uint16_t index_;
  L2Slice slice_;
  std::vector<int> credits_;  ///< by channel, in bursts; a line is sent whole, so the last may go below zero
  std::vector<DramAnswer> answers_;
  std::size_t head_ = 0;
  std::vector<TableCommand> commands_;
  std::size_t command_head_ = 0;
  std::vector<Request> replays_;
  std::size_t replay_head_ = 0;
  sim::Cycle clock_ = 0;
};

class ChannelShard final : public sim::Shard {
 public:
  ChannelShard(const Channel::Setup& setup, MemoryNetwork& memory, sim::Cycle latency);

  void run(sim::Cycle begin, sim::Cycle end) override;
  void receive() override;
  [[nodiscard]] const Channel& channel() const { return channel_; }

 private:
  struct Asker {
    std::uint32_t token = 0;
    std::uint16_t index = 0;
  };
  void take(const DramMessage& message);

  MemoryNetwork& memory_;
  sim::Cycle latency_;
  std::uint16_t index_;
  Channel channel_;
  std::vector<DramMessage> input_;
  std::vector<Asker> askers_;  ///< by the channel's own tokens
  std::vector<std::uint32_t> free_askers_;
  std::vector<std::uint32_t> done_;
  sim::Cycle clock_ = 0;
};

}  // namespace heddle::memory
