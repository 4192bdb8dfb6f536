// Sparse matrix times vector on the CPU, once in each kernel's order of operations, so that results are equal bit for
// bit: a chain of fused multiply-adds, or 32 chains joined by a tree.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "workloads/common/sparse.h"

namespace heddle::workloads::spmv {

inline std::vector<float> multiply_scalar(const CsrMatrix& a, const std::vector<float>& x) {
  std::vector<float> y(a.rows());
  for (std::uint32_t row = 0; row < a.rows(); ++row) {
    float sum = 0.0f;
    for (std::uint32_t i = a.row_start[row]; i < a.row_start[row + 1]; ++i) {
      sum = std::fma(a.value[i], x[a.column[i]], sum);
    }
    y[row] = sum;
  }
  return y;
}

inline std::vector<float> multiply_vector(const CsrMatrix& a, const std::vector<float>& x) {
  std::vector<float> y(a.rows());
  for (std::uint32_t row = 0; row < a.rows(); ++row) {
    std::array<float, 32> lane{};
    for (std::uint32_t i = a.row_start[row]; i < a.row_start[row + 1]; ++i) {
      float& sum = lane[(i - a.row_start[row]) % 32];
      sum = std::fma(a.value[i], x[a.column[i]], sum);
    }
    for (std::size_t offset = 16; offset > 0; offset /= 2) {
      for (std::size_t l = 0; l < offset; ++l) lane[l] += lane[l + offset];
    }
    y[row] = lane[0];
  }
  return y;
}

}  // namespace heddle::workloads::spmv
