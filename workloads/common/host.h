// Small things every host driver needs.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "workloads/workload.h"

namespace heddle::workloads {

/// Blocks of `per_block` needed for `count` items.
[[nodiscard]] inline std::uint32_t blocks_for(std::uint64_t count, std::uint64_t per_block) {
  return static_cast<std::uint32_t>((count + per_block - 1) / per_block);
}

[[nodiscard]] inline std::uint64_t round_up(std::uint64_t count, std::uint64_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

/// Throws UserError unless the requested size is in the workload's range.
inline void require_size(const Workload& workload, const Request& request) {
  const auto [low, high] = workload.size_range();
  if (request.elements >= low && request.elements <= high) return;
  throw UserError(fmt::format("{}: size {} is out of range: {} to {} {} are allowed", workload.name(), request.elements,
                              low, high, workload.size_unit()));
}

}  // namespace heddle::workloads
