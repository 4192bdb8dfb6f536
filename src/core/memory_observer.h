// Plug point: who wants to know what happens in the memory of an SM (warp schedulers that watch locality, for example).
//
// Calls come in the order in which things happen, from the thread that simulates the SM, and only while there is an
// observer. Lines are what the L1 knows them by.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/line.h"
#include "sim/time.h"
#include "vm/types.h"

namespace heddle::core {

class MemoryObserver {
 public:
  struct L1Lookup {
    memory::LineTag line;
    unsigned warp = 0;
    bool hit = false;
    bool walked = false;  ///< its translation had missed the TLB
    sim::Cycle now = 0;
  };
  struct TlbLookup {
    vm::VirtPage page;
    vm::SpaceId space = 0;
    unsigned warp = 0;
    bool hit = false;
    unsigned depth = 0;  ///< of a hit: 0 is the most recently used of its set
    unsigned owner = 0;  ///< of a hit: the warp that brought the translation
    sim::Cycle now = 0;
    std::uint64_t homes = 0;        ///< all warps whose lanes need the page, a bit each; with compaction, several
    std::uint32_t instruction = 0;  ///< that needs it: its place among the load/store unit's; of several, the first
  };
  virtual ~MemoryObserver() = default;
  /// A load looked a line up. A lookup that stalls counts when it goes.
  virtual void l1(const L1Lookup& lookup) { (void)lookup; }
  /// A line was replaced by another; `owner` is the warp that brought it.
  virtual void l1_evicted(memory::LineTag line, unsigned owner) {
    (void)line;
    (void)owner;
  }
  virtual void tlb(const TlbLookup& lookup) { (void)lookup; }
  virtual void tlb_evicted(vm::SpaceId space, vm::VirtPage page, unsigned owner) {
    (void)space;
    (void)page;
    (void)owner;
  }
};

/// All who listen to one SM: its warp scheduler, its divergence, its profiler.
class Observers final : private MemoryObserver {
 public:
  /// Those that are not nullptr.
  explicit Observers(const std::vector<MemoryObserver*>& all) {
    for (MemoryObserver* one : all) {
      if (one != nullptr) all_.push_back(one);
    }
  }
  /// Tells all; nullptr if nobody listens.
  [[nodiscard]] MemoryObserver* get() {
    if (all_.empty()) return nullptr;
    return all_.size() == 1 ? all_.front() : this;
  }

 private:
  void l1(const L1Lookup& lookup) override {
    for (MemoryObserver* one : all_) one->l1(lookup);
  }
  void l1_evicted(memory::LineTag line, unsigned owner) override {
    for (MemoryObserver* one : all_) one->l1_evicted(line, owner);
  }
  void tlb(const TlbLookup& lookup) override {
    for (MemoryObserver* one : all_) one->tlb(lookup);
  }
  void tlb_evicted(vm::SpaceId space, vm::VirtPage page, unsigned owner) override {
    for (MemoryObserver* one : all_) one->tlb_evicted(space, page, owner);
  }

  std::vector<MemoryObserver*> all_;
};

}  // namespace heddle::core
