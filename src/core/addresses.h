// Where things lie, in the addresses that caches see, that a program cannot allocate: above everything it can.
#pragma once

#include <cstdint>

namespace heddle::core {

/// Local memory of all warps of all SMs.
inline constexpr std::uint64_t kLocalBase = std::uint64_t{1} << 46;
/// Machine code: each module has a window of its own.
inline constexpr std::uint64_t kCodeBase = std::uint64_t{1} << 47;
/// Kernel parameters, likewise. Launches of one module use the same place again.
inline constexpr std::uint64_t kParameterBase = kCodeBase + kLocalBase;

/// The window of a module, from its code_id: the application's number above bit 32, the module's below.
[[nodiscard]] constexpr std::uint64_t code_window(std::uint64_t code_id) {
  constexpr unsigned kWindowBits = 24;
  constexpr unsigned kModuleBits = 12;
  const std::uint64_t module = code_id & ((std::uint64_t{1} << kModuleBits) - 1);
  return ((code_id >> 32) << kModuleBits | module) << kWindowBits;
}
/// Without address translation, an application's global memory starts at its number shifted by this.
inline constexpr unsigned kApplicationShift = 40;

inline constexpr unsigned kInstructionLine = 128;  ///< bytes, unless the L2's lines are smaller
inline constexpr unsigned kConstantLine = 64;

}  // namespace heddle::core
