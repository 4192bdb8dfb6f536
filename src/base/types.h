// Small types that every room shares.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace heddle {

inline constexpr unsigned kWarpSize = 32;

/// One bit per lane of a warp; bit i is lane i.
using LaneMask = std::uint32_t;
inline constexpr LaneMask kAllLanes = 0xffffffffu;

/// Extent or position in a grid or block, as CUDA counts them.
struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  [[nodiscard]] constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend constexpr bool operator==(const Dim3&, const Dim3&) = default;
};

}  // namespace heddle
