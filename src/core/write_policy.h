// Plug point: what a store does to the L1.
//
// A policy says what happens to each kind of store; the cache (core/l1_cache.h) does it. It is asked once for every
// question when the cache is made, so the same question has the same answer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/registry.h"

namespace heddle::core {

struct StoreQuestion {
  bool local = false;   ///< local memory: nobody else ever reads it
  bool around = false;  ///< the program or the preset sends it past the L1 (st.cg, st.wt, an L1 that is off)
};

enum class StoreAction : std::uint8_t {
  forward,        ///< write to the L2; a copy in the L1 is updated with it
  forward_evict,  ///< write to the L2; a copy in the L1 goes
  keep,           ///< write into the L1 alone, in a line taken for it if need be; to the L2 when the line leaves
};

class WritePolicy {
 public:
  virtual ~WritePolicy() = default;
  [[nodiscard]] virtual StoreAction store(const StoreQuestion& question) const = 0;
};

using WritePolicyRegistry = sim::Registry<WritePolicy>;

}  // namespace heddle::core
