// A memory partition: an L2 slice and its DRAM channel, side by side in one shard.
//
// They go through each cycle together, DRAM first: what it delivers in a cycle, the slice may use in that cycle.
#pragma once

#include "memory/address_map.h"
#include "memory/channel.h"
#include "memory/l2_slice.h"
#include "sim/engine.h"

namespace heddle::memory {

class Partition final : public sim::Shard, private MemoryLink {
 public:
  struct Setup {
    const L2Parameters& l2;
    const DramParameters& dram;
    const AddressMap& map;
    Network& network;
    sim::StatisticGroup& statistics;
    double core_mhz = 0;
    std::uint16_t index = 0;
    void (*perform_atomic)(AtomicPacket&, LaneMask) = nullptr;
    unsigned applications = 1;
    LineChecker* checker = nullptr;
    SharingBoard* board = nullptr;
  };
  explicit Partition(const Setup& setup);

  void run(sim::Cycle begin, sim::Cycle end) override;
  void receive() override { wake_by(slice_.receive()); }
  [[nodiscard]] L2Slice& slice() { return slice_; }
  [[nodiscard]] bool idle() const { return slice_.idle() && channel_.idle(); }
  /// What waits where, for a stall report.
  [[nodiscard]] std::string describe() const;

 private:
  [[nodiscard]] bool full(PhysLine /*line*/, std::uint16_t /*application*/) const override { return channel_.full(); }
  void transfer(PhysLine line, std::uint32_t units, const DramRequest& request, sim::Cycle now) override;

  const AddressMap& map_;
  unsigned miss_latency_;
  unsigned burst_bytes_;
  L2Slice slice_;
  Channel channel_;
  std::vector<std::uint32_t> done_;
  sim::Cycle clock_ = 0;
};

}  // namespace heddle::memory
