// Where things lie, in the addresses that caches see, that a program cannot allocate: above everything it can.
#pragma once

#include <cstdint>

#include "base/types.h"
#include "memory/line.h"

namespace heddle::core {

/// Machine code: each module has a window of its own.
inline constexpr std::uint64_t kCodeBase = std::uint64_t{1} << 47;
/// Kernel parameters, likewise. Launches of one module use the same place again.
inline constexpr std::uint64_t kParameterBase = kCodeBase + (std::uint64_t{1} << 46);
/// Local memory of all warps of all SMs.
inline constexpr std::uint64_t kLocalBase = std::uint64_t{1} << 62;
/// Registers of all warps of all SMs, where registers are kept in memory.
inline constexpr std::uint64_t kRegisterBase = kLocalBase + (std::uint64_t{1} << 61);
/// Contexts of blocks that were taken out of SMs.
inline constexpr std::uint64_t kContextBase = kRegisterBase + (std::uint64_t{1} << 60);

/// Where an SM saves the context of a block; `count` grows with each that it saves.
[[nodiscard]] constexpr std::uint64_t context_place(std::uint16_t sm, std::uint64_t count) {
  constexpr unsigned kPlaceBits = 20;  // registers and shared memory of one block
  constexpr unsigned kCountBits = 12;  // blocks of one SM that are out at a time
  return kContextBase +
         ((std::uint64_t{sm} << kCountBits | (count & ((std::uint64_t{1} << kCountBits) - 1))) << kPlaceBits);
}

/// The window of a module, from its code_id: the application's number above bit 32, the module's below.
[[nodiscard]] constexpr std::uint64_t code_window(std::uint64_t code_id) {
  constexpr unsigned kWindowBits = 24;
  constexpr unsigned kModuleBits = 12;
  const std::uint64_t module = code_id & ((std::uint64_t{1} << kModuleBits) - 1);
  return ((code_id >> 32) << kModuleBits | module) << kWindowBits;
}

/// Local memory of a warp context, counted over all SMs. A context's place is used again by the next warp there, so
/// kernels of one size share a window; those of another size divide it differently and have one of their own.
[[nodiscard]] constexpr std::uint64_t local_memory(std::uint16_t application, std::uint32_t bytes_per_thread,
                                                   std::uint64_t context) {
  constexpr unsigned kWindowBits = 38;  // 2^14 contexts of 512 KiB for each of 32 threads
  constexpr unsigned kSizeBits = 12;    // up to 512 KiB, in granules
  constexpr std::uint32_t kGranule = 256;
  const std::uint64_t granules = (std::uint64_t{bytes_per_thread} + kGranule - 1) / kGranule;
  return kLocalBase + (std::uint64_t{application} << kSizeBits << kWindowBits) + (granules << kWindowBits) +
         context * granules * kGranule * kWarpSize;
}

/// Whether the line lies where it lies without translation, as local memory does.
[[nodiscard]] constexpr bool is_fixed(memory::VirtLine line) { return line.address >= kLocalBase; }

/// Where a line lies that is not translated. Applications are kept apart by where their global memory lies; their local
/// memory is apart already.
[[nodiscard]] constexpr memory::PhysLine untranslated(memory::VirtLine line, std::uint16_t application) {
  constexpr unsigned kApplicationShift = 40;
  return {line.address + (is_fixed(line) ? 0 : std::uint64_t{application} << kApplicationShift)};
}

inline constexpr unsigned kInstructionLine = 128;  ///< bytes, unless the L2's lines are smaller
inline constexpr unsigned kConstantLine = 64;

}  // namespace heddle::core
