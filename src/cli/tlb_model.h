// TLBs that only count: what a workload's page accesses would do to them. No latency, no effect on the run.
//
// The sizes are those of MASK's baseline (ASPLOS 2018, Table 1): 64 entries per core, fully associative; 512 entries
// shared, 16 ways. Both replace the least recently used entry.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "exec/interpreter.h"

namespace heddle::cli {

/// A set-associative TLB.
class CountingTlb {
 public:
  CountingTlb(unsigned entries, unsigned ways) : ways_(ways), sets_(entries / ways), pages_(entries, kNone) {}

  /// Whether the page was there; it is afterwards.
  bool access(std::uint64_t page) {
    ++accesses_;
    std::uint64_t* set = &pages_[page % sets_ * ways_];  // most recent first
    unsigned way = 0;
    while (way < ways_ && set[way] != page) ++way;
    const bool hit = way < ways_;
    if (!hit) {
      ++misses_;
      way = ways_ - 1;
    }
    for (; way > 0; --way) set[way] = set[way - 1];
    set[0] = page;
    return hit;
  }
  [[nodiscard]] std::uint64_t accesses() const { return accesses_; }
  [[nodiscard]] std::uint64_t misses() const { return misses_; }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  unsigned ways_;
  unsigned sets_;
  std::vector<std::uint64_t> pages_;
  std::uint64_t accesses_ = 0;
  std::uint64_t misses_ = 0;
};

/// The TLBs of a GPU, fed with its global memory instructions.
class TlbModel {
 public:
  static constexpr unsigned kL1Entries = 64;
  static constexpr unsigned kL2Entries = 512;
  static constexpr unsigned kL2Ways = 16;
  static constexpr std::uint64_t kPageBytes = 4096;

  explicit TlbModel(unsigned sms) : l1_(sms, CountingTlb(kL1Entries, kL1Entries)), l2_(kL2Entries, kL2Ways) {}

  void see(std::uint32_t sm, const exec::MemoryAccess& access, LaneMask global) {
    ++instructions_;
    pages_.clear();
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      if ((global >> lane & 1) == 0) continue;
      const std::uint64_t page = access.address[lane] / kPageBytes;
      bool seen = false;
      for (std::size_t i = pages_.size(); i > 0 && !seen; --i) seen = pages_[i - 1] == page;
      if (!seen) pages_.push_back(page);
    }
    lookups_ += pages_.size();
    for (const std::uint64_t page : pages_) {
      touched_.insert(page);
      if (!l1_[sm].access(page)) (void)l2_.access(page);
    }
  }

  [[nodiscard]] std::uint64_t instructions() const { return instructions_; }
  [[nodiscard]] std::uint64_t lookups() const { return lookups_; }
  [[nodiscard]] std::uint64_t touched_bytes() const { return touched_.size() * kPageBytes; }
  [[nodiscard]] std::uint64_t l1_misses() const { return l2_.accesses(); }
  [[nodiscard]] std::uint64_t l2_misses() const { return l2_.misses(); }

 private:
  std::vector<CountingTlb> l1_;
  CountingTlb l2_;
  std::uint64_t instructions_ = 0;
  std::uint64_t lookups_ = 0;
  std::vector<std::uint64_t> pages_;
  std::unordered_set<std::uint64_t> touched_;
};

}  // namespace heddle::cli
