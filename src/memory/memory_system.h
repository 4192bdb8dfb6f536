// All of the memory behind the network: L2 slices and DRAM channels, as partitions of one each or joined by a network.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "memory/cluster_port.h"
#include "memory/partition.h"
#include "memory/slice_shard.h"

namespace heddle::memory {

class MemorySystem {
 public:
  struct Setup {
    const AddressMapParameters& map;
    const L2Parameters& l2;
    const DramParameters& dram;
    const AddressMap& slices;
    const sim::Exchange& exchange;
    Network& network;
    sim::StatisticGroup& statistics;
    double core_mhz = 0;
    void (*perform_atomic)(AtomicPacket&, LaneMask) = nullptr;
    unsigned applications = 1;
    LineChecker* checker = nullptr;  ///< of a checked run
    TableNetwork* table = nullptr;   ///< of a virtual L2
    std::vector<sim::Bell*> askers;  ///< with l2.slices: parts that reach channels beside the slices
    SharingBoard* board = nullptr;
  };
  explicit MemorySystem(const Setup& setup);

  /// L2 slices of such a machine.
  [[nodiscard]] static unsigned slices(const AddressMapParameters& map, const L2Parameters& l2) {
    return l2.slices == 0 ? map.partitions.get() : l2.slices.get();
  }
  /// Slices come first, in order, whether or not their channels are with them.
  [[nodiscard]] std::vector<sim::Shard*> shards();
  /// Between quanta: the host has written these bytes, which lie in the slices now.
  void host_wrote(const AddressMap& slices, std::uint64_t address, std::uint64_t bytes, std::uint16_t application,
                  bool copied);
  /// Between quanta: the atomics that a slice has served.
  void perform_atomics(std::size_t slice);
  [[nodiscard]] std::size_t slices() const { return partitions_.size() + slices_.size(); }
  /// With l2.slices: the way to the channels of a part that is not a slice.
  [[nodiscard]] ChannelPort channel_port() { return {*network_, channel_map_, to_channel_, burst_bytes_}; }
  /// Between quanta: whether a slice has these units of the line.
  [[nodiscard]] bool has(const AddressMap& slices, LineTag line, std::uint32_t units);
  /// Between quanta, of a virtual L2: the page's lines are gone, what was dirty of them is in its frame. Returns those
  /// that were there.
  std::uint32_t drop_page(LineTag page, std::uint32_t bits, PhysLine frame) {
    std::uint32_t here = 0;
    for (auto& slice : slices_) here |= slice->slice().drop_page(page, bits, frame);
    return here;
  }
  /// Likewise: calls f(line) for each virtual line.
  template <typename Function>
  void for_each_virtual(Function&& f) {
    for (auto& slice : slices_) slice->slice().for_each_virtual(f);
  }
  /// What waits where, for a stall report.
  [[nodiscard]] std::string describe() const;

 private:
  [[nodiscard]] L2Slice& slice_at(std::size_t index) {
    return partitions_.empty() ? slices_[index]->slice() : partitions_[index]->slice();
  }

  AddressMap channel_map_;
  std::uint64_t line_bytes_;
  sim::Cycle to_channel_;
  unsigned burst_bytes_;
  std::vector<std::unique_ptr<Partition>> partitions_;
  std::unique_ptr<MemoryNetwork> network_;
  std::vector<std::unique_ptr<SliceShard>> slices_;
  std::vector<std::unique_ptr<ChannelShard>> channels_;
  std::vector<std::unique_ptr<ClusterPort>> clusters_;
};

}  // namespace heddle::memory
