// How an L2 slice reaches DRAM.
#pragma once

#include <algorithm>
#include <cstdint>

#include "memory/dram.h"
#include "sim/time.h"

namespace heddle::memory {

class MemoryLink {
 public:
  virtual ~MemoryLink() = default;
  /// Whether requests to the line's channel must wait.
  [[nodiscard]] virtual bool full(PhysLine line, std::uint16_t application) const = 0;
  /// Asks for the bursts that cover these units of the line; each is answered by itself. What the address of the
  /// request is in a channel is found here.
  virtual void transfer(PhysLine line, std::uint32_t units, const DramRequest& request, sim::Cycle now) = 0;
};

/// The token of a request that nobody waits for.
inline constexpr std::uint32_t kWriteToken = 0xffffffffu;

/// Calls f(first byte in the line) for each DRAM burst that covers some of these units.
template <typename Function>
void for_each_burst(std::uint32_t units, unsigned burst, Function&& f) {
  const unsigned group = std::max(1u, burst / kSectorUnit);
  const unsigned repeats = std::max(1u, kSectorUnit / burst);
  for (unsigned first = 0; first < 32 && units >> first != 0; first += group) {
    const std::uint32_t mask = group >= 32 ? ~0u : ((1u << group) - 1) << first;
    if ((units & mask) == 0) continue;
    for (unsigned r = 0; r < repeats; ++r) f(first * kSectorUnit + r * burst);
  }
}

[[nodiscard]] inline unsigned count_bursts(std::uint32_t units, unsigned burst) {
  unsigned count = 0;
  for_each_burst(units, burst, [&](unsigned) { ++count; });
  return count;
}

}  // namespace heddle::memory
