// Rows of 64-bit registers.
//
// A register pair is two rows: the low words of all lanes, then the high words. So a lane's bits of a register lie at
// the same place whether it is used alone or as half of a pair, and lanes of a diverged warp, which may use one
// register in different ways at the same time, do not touch each other's. Arithmetic works on joined rows,
// uint64_t[32]; constants in the pool are joined already.
#pragma once

#include <cstdint>

#include "base/types.h"

namespace heddle::exec {

inline void join_row(const std::uint32_t* rows, std::uint64_t* joined) {
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    joined[lane] = rows[lane] | std::uint64_t{rows[kWarpSize + lane]} << 32;
  }
}

inline void split_row(const std::uint64_t* joined, std::uint32_t* rows, LaneMask lanes) {
  if (lanes == kAllLanes) {
    for (unsigned lane = 0; lane < kWarpSize; ++lane) rows[lane] = static_cast<std::uint32_t>(joined[lane]);
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      rows[kWarpSize + lane] = static_cast<std::uint32_t>(joined[lane] >> 32);
    return;
  }
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const bool writes = (lanes & 1u << lane) != 0;
    rows[lane] = writes ? static_cast<std::uint32_t>(joined[lane]) : rows[lane];
    rows[kWarpSize + lane] = writes ? static_cast<std::uint32_t>(joined[lane] >> 32) : rows[kWarpSize + lane];
  }
}

[[nodiscard]] inline std::uint64_t read_pair(const std::uint32_t* rows, unsigned lane) {
  return rows[lane] | std::uint64_t{rows[kWarpSize + lane]} << 32;
}

inline void write_pair(std::uint32_t* rows, unsigned lane, std::uint64_t value) {
  rows[lane] = static_cast<std::uint32_t>(value);
  rows[kWarpSize + lane] = static_cast<std::uint32_t>(value >> 32);
}

}  // namespace heddle::exec
