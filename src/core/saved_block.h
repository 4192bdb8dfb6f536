// A thread block that was taken out of an SM, as a value: it can be started again on the same SM or another one.
//
// It holds everything that the program can see of it: registers, predicates, where its warps are (divergence state
// included), shared memory, barriers, local memory. What was under way in the memory system had ended before.
#pragma once

#include <cstdint>
#include <memory>

#include "core/kernel.h"

namespace heddle::core {

struct SavedBlock {
  std::unique_ptr<exec::ThreadBlock> block;
  KernelInstance* kernel = nullptr;
  std::uint64_t index = 0;  ///< in its grid

  /// What an SM must write to memory, and read again, to save and restore it: registers, predicates, the program
  /// counter of each lane and which lanes are alive, and shared memory. Local memory is in memory already.
  [[nodiscard]] std::uint64_t bytes() const {
    constexpr std::uint64_t kLanesBytes = kWarpSize * sizeof(std::uint32_t) + sizeof(LaneMask);
    const std::uint64_t warp = std::uint64_t{kernel->launch->config.registers} * kWarpSize * 4 +
                               exec::kPredicates * sizeof(LaneMask) + kLanesBytes;
    return block->shared.size() + block->warps.size() * warp;
  }
};

}  // namespace heddle::core
