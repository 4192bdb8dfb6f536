#include "memory/partition.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::memory {

using sim::Cycle;

Partition::Partition(const Setup& setup)
    : Shard(setup.network.partition_bell(setup.index)),
      map_(setup.map),
      miss_latency_(setup.l2.miss_latency),
      burst_bytes_(setup.dram.burst_bytes()),
      slice_({setup.l2, burst_bytes_, setup.network, *this, setup.statistics, setup.core_mhz, setup.index,
              setup.perform_atomic, setup.applications, setup.checker, setup.board}),
      channel_({setup.dram, setup.statistics, setup.core_mhz, setup.l2.dram_queue, setup.l2.miss_latency, setup.index,
                setup.applications, setup.board}) {}

void Partition::run(Cycle begin, Cycle end) {
  clock_ = std::max(clock_, begin);
  Cycle slice_at = slice_.next(clock_);
  Cycle channel_at = channel_.next(clock_);
  while (clock_ < end) {
    done_.clear();
    const bool moved = channel_at <= clock_ && channel_.step(clock_, done_);
    if (slice_at <= clock_ || moved || !done_.empty()) {
      slice_.begin(clock_);
      if (moved) slice_.dram_moved();
      for (const std::uint32_t token : done_) slice_.fill(token, clock_);
      slice_.tick(clock_);
      slice_at = slice_.next(clock_ + 1);
    }
    // Skip to the next cycle in which something happens.
    ++clock_;
    channel_at = channel_.next(clock_);
    wake_ = std::min(slice_at, channel_at);
    clock_ = std::min(wake_, end);
  }
  reports_ = slice_.has_atomics();
}

void Partition::transfer(PhysLine line, std::uint32_t units, const DramRequest& request, Cycle now) {
  DramRequest burst = request;
  const std::uint64_t local = map_.place(line, request.application).local;
  for_each_burst(units, burst_bytes_, [&](unsigned offset) {
    burst.address = (local + offset) / burst_bytes_ * burst_bytes_;
    channel_.send(burst, now + miss_latency_);
  });
}

std::string Partition::describe() const {
  return slice_.describe() + fmt::format("  {} for DRAM, {} in DRAM\n", channel_.waiting(), channel_.in_flight());
}

}  // namespace heddle::memory
