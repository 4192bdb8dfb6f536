// A thread block that was taken out of an SM, as a value: it can be started again on the same SM or another one.
//
// It holds everything that the program can see of it: registers, predicates, where its warps are (divergence state
// included), shared memory, barriers, local memory. What was under way in the memory system had ended before.
#pragma once

#include <cstdint>
#include <memory>

#include "core/kernel.h"

namespace heddle::core {

/// What an SM must write to memory, and read again, to save and restore a block: registers, predicates, the program
/// counter of each lane and which lanes are alive, and shared memory. Local memory is in memory already.
[[nodiscard]] inline std::uint64_t context_bytes(const exec::ThreadBlock& block, const KernelInstance& kernel) {
  constexpr std::uint64_t kLanesBytes = kWarpSize * sizeof(std::uint32_t) + sizeof(LaneMask);
  const std::uint64_t warp = std::uint64_t{kernel.launch->config.registers} * kWarpSize * 4 +
                             exec::kPredicates * sizeof(LaneMask) + kLanesBytes;
  return block.shared.size() + block.warps.size() * warp;
}

struct SavedBlock {
  std::unique_ptr<exec::ThreadBlock> block;
  KernelInstance* kernel = nullptr;
  std::uint64_t index = 0;  ///< in its grid
  std::uint64_t place = 0;  ///< where its context lies in memory; 0: it was not written there

  [[nodiscard]] std::uint64_t bytes() const { return context_bytes(*block, *kernel); }
};

}  // namespace heddle::core
