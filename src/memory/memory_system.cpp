#include "memory/memory_system.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::memory {

MemorySystem::MemorySystem(const Setup& setup)
    : channel_map_(setup.map, 0, setup.applications),
      line_bytes_(setup.l2.line_bytes),
      to_channel_(setup.l2.miss_latency / 2),
      burst_bytes_(setup.dram.burst_bytes()) {
  for (unsigned c = 0; setup.network.clustered() && c < setup.network.clusters(); ++c)
    clusters_.push_back(std::make_unique<ClusterPort>(setup.network, setup.slices, setup.statistics, c));
  if (setup.l2.slices == 0) {
    for (unsigned p = 0; p < setup.map.partitions; ++p) {
      partitions_.push_back(std::make_unique<Partition>(Partition::Setup{
          setup.l2, setup.dram, setup.slices, setup.network, setup.statistics, setup.core_mhz,
          static_cast<std::uint16_t>(p), setup.perform_atomic, setup.applications, setup.checker, setup.board}));
    }
    return;
  }
  network_ = std::make_unique<MemoryNetwork>(setup.exchange, setup.network, setup.l2.slices, setup.map.partitions,
                                             setup.askers);
  for (unsigned s = 0; s < setup.l2.slices; ++s) {
    slices_.push_back(std::make_unique<SliceShard>(
        SliceShard::Setup{setup.l2, setup.dram, channel_map_, setup.network, *network_, setup.statistics,
                          setup.core_mhz, static_cast<std::uint16_t>(s), setup.perform_atomic, setup.applications,
                          setup.checker, setup.table, setup.slices, setup.board}));
  }
  // All slices together may have their credits on the way; nobody asks the channel.
  const unsigned queue = setup.l2.dram_queue * setup.l2.slices;
  const sim::Cycle back = setup.l2.miss_latency - setup.l2.miss_latency / 2;
  for (unsigned c = 0; c < setup.map.partitions; ++c) {
    channels_.push_back(
        std::make_unique<ChannelShard>(Channel::Setup{setup.dram, setup.statistics, setup.core_mhz, queue, 0,
                                                      static_cast<std::uint16_t>(c), setup.applications, setup.board},
                                       *network_, back));
  }
}

std::vector<sim::Shard*> MemorySystem::shards() {
  std::vector<sim::Shard*> all;
  for (auto& partition : partitions_) all.push_back(partition.get());
  for (auto& slice : slices_) all.push_back(slice.get());
  for (auto& channel : channels_) all.push_back(channel.get());
  for (auto& cluster : clusters_) all.push_back(cluster.get());
  return all;
}

void MemorySystem::host_wrote(const AddressMap& slices, std::uint64_t address, std::uint64_t bytes,
                              std::uint16_t application, bool copied) {
  constexpr std::uint64_t kSector = kSectorUnit;
  const std::uint64_t end = address + bytes;
  for (std::uint64_t at = address / line_bytes_ * line_bytes_; at < end; at += line_bytes_) {
    const std::uint64_t first = (std::max(at, address) - at) / kSector;
    const std::uint64_t last = (std::min(at + line_bytes_, end) - at + kSector - 1) / kSector;
    const auto units = static_cast<std::uint32_t>((std::uint64_t{1} << last) - (std::uint64_t{1} << first));
    const LineTag tag(PhysLine{at});
    slice_at(slices.slice(tag, application)).host_wrote(tag, units, application, copied);
  }
}

void MemorySystem::perform_atomics(std::size_t slice) { slice_at(slice).perform_atomics(); }

bool MemorySystem::has(const AddressMap& slices, LineTag line, std::uint32_t units) {
  return slice_at(slices.slice(line)).has(line, units);
}

std::string MemorySystem::describe() const {
  std::string text;
  for (const auto& partition : partitions_) {
    if (!partition->idle()) text += partition->describe();
  }
  for (const auto& slice : slices_) {
    if (!slice->slice().idle()) text += slice->slice().describe();
  }
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    const Channel& channel = channels_[c]->channel();
    if (!channel.idle())
      text += fmt::format("channel {}: {} waiting, {} in DRAM\n", c, channel.waiting(), channel.in_flight());
  }
  for (const auto& cluster : clusters_) {
    if (!cluster->idle()) text += cluster->describe();
  }
  return text;
}

}  // namespace heddle::memory
