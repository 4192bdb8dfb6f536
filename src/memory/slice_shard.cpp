#include "memory/slice_shard.h"

#include <algorithm>

namespace heddle::memory {

using sim::Cycle;

SliceShard::SliceShard(const Setup& setup)
    : Shard(setup.network.partition_bell(setup.index)),
      channels_(setup.channels),
      memory_(setup.memory),
      index_(setup.index),
      latency_(setup.l2.miss_latency / 2),
      burst_bytes_(setup.dram.burst_bytes()),
      slice_({setup.l2, burst_bytes_, setup.network, *this, setup.statistics, setup.core_mhz, setup.index,
              setup.perform_atomic, setup.applications, setup.checker, setup.board}),
      credits_(setup.channels.partitions(), static_cast<int>(setup.l2.dram_queue.get())) {}

void SliceShard::receive() {
  answers_.erase(answers_.begin(), answers_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
  wake_by(memory_.answers(index_).collect(answers_));
  wake_by(slice_.receive());
}

void SliceShard::run(Cycle begin, Cycle end) {
  clock_ = std::max(clock_, begin);
  while (clock_ < end) {
    slice_.begin(clock_);
    for (; head_ < answers_.size() && answers_[head_].arrival <= clock_; ++head_) {
      ++credits_[answers_[head_].channel];
      slice_.dram_moved();
      slice_.fill(answers_[head_].token, clock_);
    }
    slice_.tick(clock_);
    ++clock_;
    wake_ = slice_.next(clock_);
    if (head_ < answers_.size()) wake_by(std::max(answers_[head_].arrival, clock_));
    clock_ = std::min(wake_, end);
  }
  reports_ = slice_.has_atomics();
}

void SliceShard::transfer(PhysLine line, std::uint32_t units, const DramRequest& request, Cycle now) {
  const AddressMap::Place place = channels_.place(line, request.application);
  DramMessage message{request, now + latency_, index_};
  for_each_burst(units, burst_bytes_, [&](unsigned offset) {
    message.request.address = (place.local + offset) / burst_bytes_ * burst_bytes_;
    memory_.requests(place.partition).send(message);
    --credits_[place.partition];
  });
}

ChannelShard::ChannelShard(const Channel::Setup& setup, MemoryNetwork& memory, Cycle latency)
    : Shard(memory.channel_bell(setup.index)),
      memory_(memory),
      latency_(latency),
      index_(setup.index),
      channel_(setup) {}

void ChannelShard::receive() {
  input_.clear();
  wake_by(memory_.requests(index_).collect(input_));
  for (const DramMessage& message : input_) take(message);
}

void ChannelShard::take(const DramMessage& message) {
  std::uint32_t own = 0;
  if (free_askers_.empty()) {
    own = static_cast<std::uint32_t>(askers_.size());
    askers_.emplace_back();
  } else {
    own = free_askers_.back();
    free_askers_.pop_back();
  }
  askers_[own] = {message.request.token, message.slice};
  DramRequest request = message.request;
  request.token = own;
  channel_.send(request, message.arrival);
}

void ChannelShard::run(Cycle begin, Cycle end) {
  clock_ = std::max(clock_, begin);
  while (clock_ < end) {
    done_.clear();
    (void)channel_.step(clock_, done_);
    for (const std::uint32_t own : done_) {
      memory_.answers(askers_[own].slice).send({askers_[own].token, index_, clock_ + latency_});
      free_askers_.push_back(own);
    }
    ++clock_;
    wake_ = channel_.next(clock_);
    clock_ = std::min(wake_, end);
  }
}

}  // namespace heddle::memory
