// Plug point: whether what an L2 slice fetches from DRAM is kept in it.
//
// A policy is one object per slice. It is told of every read and atomic whether it hit, and asked about each miss that
// finds no entry of its line. What it may look at is the request: class of traffic, application, warp, level of a walk.
#pragma once

#include "memory/request.h"
#include "sim/registry.h"

namespace heddle::memory {

enum class Fill : std::uint8_t {
  allocate,  ///< the line takes an entry, and another line goes for it
  bypass,    ///< those who wait get their data, and nothing is kept
};

class FillPolicy {
 public:
  virtual ~FillPolicy() = default;
  [[nodiscard]] virtual Fill admit(const Request& request) = 0;
  virtual void served(const Request& request, bool hit) = 0;
};

using FillPolicies = sim::Registry<FillPolicy>;

}  // namespace heddle::memory
