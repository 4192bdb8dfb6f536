#include "core/read_only_cache.h"

#include <utility>

namespace heddle::core {

ReadOnlyCache::Result ReadOnlyCache::access(std::uint64_t line, std::uint32_t waiter, std::uint16_t application) {
  was_prefetched_ = false;
  if (const auto found = present_.find(line); found != present_.end()) {
    was_prefetched_ = std::exchange(found->second, false);
    return Result::hit;
  }
  if (used_ != 0) {
    if (const auto found = miss_of(line); found != misses_.end()) {
      was_prefetched_ = std::exchange(found->prefetched, false);
      if (std::find(found->waiters.begin(), found->waiters.end(), waiter) == found->waiters.end())
        found->waiters.push_back(waiter);
      return Result::joined;
    }
  }
  if (full()) return Result::full;
  ask(line, application).waiters.push_back(waiter);
  return Result::missed;
}

bool ReadOnlyCache::prefetch(std::uint64_t line, std::uint16_t application) {
  if (full() || present_.contains(line) || miss_of(line) != misses_.end()) return false;
  ask(line, application).prefetched = true;
  return true;
}

ReadOnlyCache::Miss& ReadOnlyCache::ask(std::uint64_t line, std::uint16_t application) {
  const auto free = miss_of(kNone);
  free->line = line;
  free->application = application;
  free->prefetched = false;
  ++used_;
  const auto index = static_cast<std::uint32_t>(free - misses_.begin());
  if (port_.full() || !unsent_.empty())
    unsent_.push_back(index);
  else
    send(index);
  return *free;
}

void ReadOnlyCache::send_waiting() {
  std::size_t sent = 0;
  for (; sent < unsent_.size() && !port_.full(); ++sent) send(unsent_[sent]);
  unsent_.erase(unsent_.begin(), unsent_.begin() + static_cast<std::ptrdiff_t>(sent));
}

void ReadOnlyCache::send(std::uint32_t miss) {
  const std::uint64_t address = misses_[miss].line * setup_.line_bytes;
  memory::Request request;
  const memory::PhysLine line = memory::line_around(address, setup_.network_line_bytes);
  request.line = memory::LineTag(line);
  const auto first = static_cast<unsigned>(address - line.address) / memory::kSectorUnit;
  const unsigned count = std::max(1u, setup_.line_bytes / memory::kSectorUnit);
  request.sectors = ((1u << count) - 1) << first;
  request.id = request_id(setup_.name, miss);
  request.application = misses_[miss].application;
  request.kind = memory::RequestKind::read;
  request.traffic = setup_.traffic;
  request.bytes = static_cast<std::uint16_t>(count * memory::kSectorUnit);
  port_.push(request);
}

void ReadOnlyCache::keep(std::uint64_t line, bool prefetched) {
  if (order_[oldest_] != kNone) present_.erase(order_[oldest_]);
  order_[oldest_] = line;
  present_[line] = prefetched;
  oldest_ = oldest_ + 1 == order_.size() ? 0 : oldest_ + 1;
}

}  // namespace heddle::core
