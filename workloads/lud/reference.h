// LU decomposition on the CPU with the kernels' operations in the kernels' order: the rest of a tile step is a sum of
// 16 products that is subtracted as a whole, inside a tile each product is subtracted on its own.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace heddle::workloads::lud {

constexpr std::size_t kTile = 16;

/// L (unit diagonal, not stored) and U in the matrix's place. n is a multiple of 16.
inline void decompose(std::vector<float>& a, std::size_t n) {
  for (std::size_t offset = 0; offset < n; offset += kTile) {
    const std::size_t end = offset + kTile;
    for (std::size_t k = offset; k < end; ++k) {
      for (std::size_t x = k; x < n; ++x) {
        for (std::size_t j = offset; j < k; ++j) a[k * n + x] = std::fma(-a[k * n + j], a[j * n + x], a[k * n + x]);
      }
      for (std::size_t y = k + 1; y < n; ++y) {
        for (std::size_t j = offset; j < k; ++j) a[y * n + k] = std::fma(-a[y * n + j], a[j * n + k], a[y * n + k]);
        a[y * n + k] /= a[k * n + k];
      }
    }
    for (std::size_t y = end; y < n; ++y) {
      for (std::size_t x = end; x < n; ++x) {
        float sum = 0.0f;
        for (std::size_t j = offset; j < end; ++j) sum = std::fma(a[y * n + j], a[j * n + x], sum);
        a[y * n + x] -= sum;
      }
    }
  }
}

}  // namespace heddle::workloads::lud
