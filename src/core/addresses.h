// Where things lie, in the addresses that caches see, that a program cannot allocate: above everything it can.
#pragma once

#include <cstdint>

namespace heddle::core {

/// Local memory of all warps of all SMs.
inline constexpr std::uint64_t kLocalBase = std::uint64_t{1} << 46;
/// Machine code: each module has a window of its own, by its code_id.
inline constexpr std::uint64_t kCodeBase = std::uint64_t{1} << 47;
/// Kernel parameters, by the module's code_id. Launches of one module use the same place again.
inline constexpr std::uint64_t kParameterBase = kCodeBase + kLocalBase;
inline constexpr unsigned kCodeWindowBits = 28;
/// Without address translation, an application's global memory starts at its number shifted by this.
inline constexpr unsigned kApplicationShift = 40;

inline constexpr unsigned kInstructionLine = 128;  ///< bytes, unless the L2's lines are smaller
inline constexpr unsigned kConstantLine = 64;

}  // namespace heddle::core
