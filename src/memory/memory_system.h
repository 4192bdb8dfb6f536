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
  /// What waits where, for a stall report.
  [[nodiscard]] std::string describe() const;

 private:
  AddressMap channel_map_;
  std::uint64_t line_bytes_;
  std::vector<std::unique_ptr<Partition>> partitions_;
  std::unique_ptr<MemoryNetwork> network_;
  std::vector<std::unique_ptr<SliceShard>> slices_;
  std::vector<std::unique_ptr<ChannelShard>> channels_;
  std::vector<std::unique_ptr<ClusterPort>> clusters_;
};

}  // namespace heddle::memory
