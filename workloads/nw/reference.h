// Needleman-Wunsch on the CPU: the alignment matrix, row by row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heddle::workloads::nw {

/// The (n+1) x (n+1) matrix before alignment: gap penalties along row 0 and column 0, zero elsewhere.
inline std::vector<std::int32_t> borders(std::size_t n, std::int32_t penalty) {
  std::vector<std::int32_t> matrix((n + 1) * (n + 1), 0);
  for (std::size_t i = 1; i <= n; ++i) {
    matrix[i] = -static_cast<std::int32_t>(i) * penalty;
    matrix[i * (n + 1)] = matrix[i];
  }
  return matrix;
}

/// `scores` is (n+1) x (n+1), row 0 and column 0 unused.
inline std::vector<std::int32_t> align(const std::vector<std::int32_t>& scores, std::size_t n, std::int32_t penalty) {
  std::vector<std::int32_t> matrix = borders(n, penalty);
  const std::size_t columns = n + 1;
  for (std::size_t y = 1; y <= n; ++y) {
    for (std::size_t x = 1; x <= n; ++x) {
      const std::int32_t match = matrix[(y - 1) * columns + x - 1] + scores[y * columns + x];
      const std::int32_t gap = std::max(matrix[y * columns + x - 1], matrix[(y - 1) * columns + x]) - penalty;
      matrix[y * columns + x] = std::max(match, gap);
    }
  }
  return matrix;
}

}  // namespace heddle::workloads::nw
