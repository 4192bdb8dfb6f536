// How much of a DRAM channel each application has had lately.
#pragma once

#include <vector>

#include "memory/dram_queue.h"

namespace heddle::memory {

class ServedCounts {
 public:
  ServedCounts(unsigned applications, unsigned window) : window_(window), next_(window), counts_(applications) {}
  /// What has been had counts half as much with every window that ends; true if that has changed anything.
  bool update(DramCycle now) {
    if (now < next_) return false;
    next_ = now + window_;
    for (std::uint64_t& count : counts_) count /= 2;
    return true;
  }
  void served(const QueuedRequest& request) { ++counts_[request.application]; }
  [[nodiscard]] std::uint64_t of(const QueuedRequest& request) const { return counts_[request.application]; }

 private:
  unsigned window_;
  DramCycle next_;
  std::vector<std::uint64_t> counts_;
};

}  // namespace heddle::memory
