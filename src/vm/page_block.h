// Where the pages of 2 MiB of managed memory are, and what the program has advised.
#pragma once

#include "vm/page_growth.h"
#include "vm/types.h"

namespace heddle::vm {

struct PageBlock {
  SpaceId space = 0;
  std::uint64_t address = 0;  ///< of its first page
  PageSet managed;            ///< pages that are managed memory at all
  // A page that is on neither side has not been touched; one on both has two copies that are equal.
  PageSet on_device;
  PageSet on_host;
  PageSet coming;   ///< on their way to the device
  PageSet pending;  ///< faulted, and the host has not looked yet
  PageSet remote;   ///< the device may access them where they are, if that is the host
  // Advice.
  PageSet read_mostly;
  PageSet prefers_host;
  PageSet prefers_device;
  PageSet accessed_by;        ///< the device
  std::uint64_t arrived = 0;  ///< in the order in which pages came; 0: never

  /// Pages that take room on the device.
  [[nodiscard]] PageSet resident() const { return on_device | coming; }
  /// Pages whose next access by the device may have to wait.
  [[nodiscard]] PageSet away() const { return managed & ~(on_device & ~on_host); }
  /// Pages that stay on the host and are accessed there. Read duplication goes before a preferred location.
  [[nodiscard]] PageSet stays_on_host() const { return prefers_host & ~read_mostly; }
  [[nodiscard]] PageSet reached_remotely() const { return on_host & ~on_device & ~coming & (remote | accessed_by); }
};

}  // namespace heddle::vm
