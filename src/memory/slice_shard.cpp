#include "memory/slice_shard.h"

#include <algorithm>

namespace heddle::memory {

using sim::Cycle;

SliceShard::SliceShard(const Setup& setup)
    : Shard(setup.network.partition_bell(setup.index)),
      channels_(setup.channels),
      port_(setup.memory, setup.channels, setup.l2.miss_latency / 2, setup.dram.burst_bytes()),
      table_(setup.table == nullptr ? std::optional<TableLink>()
                                    : TableLink(*setup.table, setup.slices, setup.index, setup.l2.dram_queue)),
      index_(setup.index),
      slice_({setup.l2, setup.dram.burst_bytes(), setup.network, *this, setup.statistics, setup.core_mhz, setup.index,
              setup.perform_atomic, setup.applications, setup.checker, setup.board, table_ ? &*table_ : nullptr}),
      credits_(setup.channels.partitions(), static_cast<int>(setup.l2.dram_queue.get())) {}

void SliceShard::receive() {
  answers_.erase(answers_.begin(), answers_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
  wake_by(port_.answers(index_).collect(answers_));
  wake_by(slice_.receive());
  if (!table_) return;
  commands_.erase(commands_.begin(), commands_.begin() + static_cast<std::ptrdiff_t>(command_head_));
  command_head_ = 0;
  wake_by(table_->commands().collect(commands_));
  replays_.erase(replays_.begin(), replays_.begin() + static_cast<std::ptrdiff_t>(replay_head_));
  replay_head_ = 0;
  wake_by(table_->replays().collect(replays_));
}

void SliceShard::take_table(Cycle now) {
  for (; command_head_ < commands_.size() && commands_[command_head_].arrival <= now; ++command_head_)
    slice_.obey(commands_[command_head_], now);
  for (; replay_head_ < replays_.size() && replays_[replay_head_].arrival <= now; ++replay_head_)
    slice_.replay(replays_[replay_head_]);
}

void SliceShard::run(Cycle begin, Cycle end) {
  clock_ = std::max(clock_, begin);
  while (clock_ < end) {
    slice_.begin(clock_);
    for (; head_ < answers_.size() && answers_[head_].arrival <= clock_; ++head_) {
      const std::uint32_t token = answers_[head_].token;
      if (token != kWriteToken && (token & kFromTable) != 0) {
        slice_.fill(token & ~(kFromTable | kReadOnlyPage), clock_, (token & kReadOnlyPage) != 0);
        continue;
      }
      ++credits_[answers_[head_].channel];
      slice_.dram_moved();
      slice_.fill(token, clock_);
    }
    if (table_) take_table(clock_);
    slice_.tick(clock_);
    ++clock_;
    wake_ = slice_.next(clock_);
    if (head_ < answers_.size()) wake_by(std::max(answers_[head_].arrival, clock_));
    if (command_head_ < commands_.size()) wake_by(std::max(commands_[command_head_].arrival, clock_));
    if (replay_head_ < replays_.size()) wake_by(std::max(replays_[replay_head_].arrival, clock_));
    clock_ = std::min(wake_, end);
  }
  reports_ = slice_.has_atomics();
}

void SliceShard::transfer(PhysLine line, std::uint32_t units, const DramRequest& request, Cycle now) {
  credits_[channels_.place(line, request.application).partition] -=
      static_cast<int>(port_.transfer(line, units, request, index_, now));
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
  askers_[own] = {message.request.token, message.asker};
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
      memory_.answers(askers_[own].index).send({askers_[own].token, index_, clock_ + latency_});
      free_askers_.push_back(own);
    }
    ++clock_;
    wake_ = channel_.next(clock_);
    clock_ = std::min(wake_, end);
  }
}

}  // namespace heddle::memory
