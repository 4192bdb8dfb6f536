// Gaussian elimination on the CPU, with the kernels' operations in the kernels' order.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace heddle::workloads::gaussian {

struct System {
  std::uint32_t n = 0;
  std::vector<float> matrix;  ///< row by row
  std::vector<float> right_side;
};

inline void eliminate(System& system) {
  const std::size_t n = system.n;
  for (std::size_t column = 0; column + 1 < n; ++column) {
    for (std::size_t row = column + 1; row < n; ++row) {
      const float factor = system.matrix[n * row + column] / system.matrix[n * column + column];
      for (std::size_t x = column; x < n; ++x) {
        system.matrix[n * row + x] = std::fma(-factor, system.matrix[n * column + x], system.matrix[n * row + x]);
      }
      system.right_side[row] = std::fma(-factor, system.right_side[column], system.right_side[row]);
    }
  }
}

/// The solution of a system that eliminate() has made triangular.
inline std::vector<float> substitute_back(const System& system) {
  const std::size_t n = system.n;
  std::vector<float> x(n);
  for (std::size_t row = n; row-- > 0;) {
    float sum = system.right_side[row];
    for (std::size_t i = row + 1; i < n; ++i) sum = std::fma(-system.matrix[n * row + i], x[i], sum);
    x[row] = sum / system.matrix[n * row + row];
  }
  return x;
}

}  // namespace heddle::workloads::gaussian
