// Plug point: whether what an L2 slice fetches from DRAM is kept in it.
//
// A policy is one object per slice. It is told of every read and atomic whether it hit, and asked about each miss that
// finds no entry of its line. What it may look at is the request: class of traffic, application, warp, level of a walk.
// One that lets reads of page-table entries go past the L2 says so once, and is then asked about each as it comes.
#pragma once

#include "memory/sharing_board.h"
#include "sim/registry.h"

namespace heddle::memory {

enum class Fill : std::uint8_t {
  allocate,  ///< the line takes an entry, and another line goes for it
  bypass,    ///< those who wait get their data, and nothing is kept
};

struct FillPolicySetup {
  SharingBoard* board = nullptr;  ///< in a GPU
  std::uint16_t slice = 0;
};

class FillPolicy {
 public:
  virtual ~FillPolicy() = default;
  [[nodiscard]] virtual Fill admit(const Request& request) = 0;
  virtual void served(const Request& request, bool hit) = 0;
  /// Whether goes_past() is to be asked.
  [[nodiscard]] virtual bool lets_past() const { return false; }
  /// Whether the read of a page-table entry goes past the L2: it neither waits for it, nor looks into it, nor is kept.
  [[nodiscard]] virtual bool goes_past(const Request& /*request*/) { return false; }
};

using FillPolicies = sim::Registry<FillPolicy, const FillPolicySetup&>;

}  // namespace heddle::memory
