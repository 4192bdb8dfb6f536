// Cheapest path costs on the CPU: one row after another.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heddle::workloads::pathfinder {

/// `wall` is row-major; the result is the cost of the cheapest path from the first row to each cell of the last.
inline std::vector<std::int32_t> cheapest_paths(const std::vector<std::int32_t>& wall, std::size_t columns) {
  std::vector<std::int32_t> cost(wall.begin(), wall.begin() + static_cast<std::ptrdiff_t>(columns));
  std::vector<std::int32_t> next(columns);
  for (std::size_t row = 1; row < wall.size() / columns; ++row) {
    for (std::size_t x = 0; x < columns; ++x) {
      std::int32_t cheapest = cost[x];
      if (x > 0) cheapest = std::min(cheapest, cost[x - 1]);
      if (x + 1 < columns) cheapest = std::min(cheapest, cost[x + 1]);
      next[x] = cheapest + wall[row * columns + x];
    }
    cost.swap(next);
  }
  return cost;
}

}  // namespace heddle::workloads::pathfinder
