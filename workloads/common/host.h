// Small things every host driver needs.
#pragma once

#include <cstdint>

namespace heddle::workloads {

/// Blocks of `per_block` needed for `count` items.
[[nodiscard]] inline std::uint32_t blocks_for(std::uint64_t count, std::uint64_t per_block) {
  return static_cast<std::uint32_t>((count + per_block - 1) / per_block);
}

[[nodiscard]] inline std::uint64_t round_up(std::uint64_t count, std::uint64_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

}  // namespace heddle::workloads
