// Plug point: which translations enter the shared second-level TLB, and what is kept beside it.
//
// A policy is one object. It is told of every request that the TLB was asked for, may answer what the TLB cannot, and
// says of every walk that has ended whether the TLB takes its translation.
#pragma once

#include <optional>
#include <span>

#include "memory/sharing_board.h"
#include "sim/registry.h"
#include "vm/tlb.h"
#include "vm/translation_network.h"

namespace heddle::vm {

struct TlbFillSetup {
  memory::SharingBoard* board = nullptr;  ///< in a GPU
  unsigned applications = 1;
};

class TlbFillPolicy {
 public:
  virtual ~TlbFillPolicy() = default;
  /// What is kept beside the TLB of a page that the TLB does not have; looked up at the same time.
  [[nodiscard]] virtual std::optional<Mapping> find(SpaceId /*space*/, VirtPage /*page*/) { return std::nullopt; }
  /// A request was looked up in the TLB and beside it.
  virtual void looked_up(const TranslationRequest& /*request*/, bool /*hit*/) {}
  /// A walk has ended that these requests wait for: whether the TLB takes its translation.
  [[nodiscard]] virtual bool admit(std::span<const TranslationRequest> requests, const Mapping& mapping) = 0;

  // What is kept beside the TLB goes: all of it, an address space's, that of a page.
  virtual void flush() {}
  virtual void flush(SpaceId /*space*/) {}
  virtual void flush(SpaceId /*space*/, VirtPage /*page*/) {}
};

using TlbFillPolicies = sim::Registry<TlbFillPolicy, const TlbFillSetup&>;

}  // namespace heddle::vm
