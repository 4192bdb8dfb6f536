// Plug point: which of the requests that wait in front of a DRAM channel enters its queues next.
//
// An implementation is one object per channel. It sees whose each request is (class of traffic, application, level of a
// walk) and what the channel has room for.
#pragma once

#include <cstddef>
#include <optional>

#include "base/ring.h"
#include "sim/registry.h"

namespace heddle::memory {

struct DramRequest;
class DramChannel;

class DramAdmission {
 public:
  virtual ~DramAdmission() = default;
  /// A position in `waiting` whose request the channel can accept, or nothing: then nothing enters before something in
  /// the channel or in the queue has changed.
  [[nodiscard]] virtual std::optional<std::size_t> choose(const Ring<DramRequest>& waiting,
                                                          const DramChannel& channel) = 0;
};

using DramAdmissions = sim::Registry<DramAdmission>;

}  // namespace heddle::memory
