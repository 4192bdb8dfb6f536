// Plug point: who wants to know what happens in the memory of an SM (warp schedulers that watch locality, for example).
//
// Calls come in the order in which things happen, from the thread that simulates the SM, and only while there is an
// observer. Lines are what the L1 knows them by.
#pragma once

#include <cstdint>

#include "memory/line.h"
#include "vm/types.h"

namespace heddle::core {

class MemoryObserver {
 public:
  struct L1Lookup {
    memory::LineTag line;
    unsigned warp = 0;
    bool hit = false;
    bool walked = false;  ///< its translation had missed the TLB
  };
  struct TlbLookup {
    vm::VirtPage page;
    vm::SpaceId space = 0;
    unsigned warp = 0;
    bool hit = false;
    unsigned depth = 0;  ///< of a hit: 0 is the most recently used of its set
    unsigned owner = 0;  ///< of a hit: the warp that brought the translation
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

}  // namespace heddle::core
