// Sparse matrix times vector on the CPU, once in each kernel's order of operations, so that results are equal bit for
// bit: a chain of fused multiply-adds, or 32 chains joined by a tree.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "workloads/common/sparse.h"

namespace heddle::workloads::spmv {

/// Rows sorted by length, the longest first; then all first entries, all second entries, and so on.
struct JdsMatrix {
  std::vector<std::uint32_t> jag_start;    ///< where the k-th entries begin
  std::vector<std::uint32_t> length;       ///< of each row, sorted
  std::vector<std::uint32_t> permutation;  ///< number of each sorted row before
  std::vector<std::uint32_t> column;
  std::vector<float> value;
};

inline JdsMatrix to_jds(const CsrMatrix& a) {
  JdsMatrix jds;
  jds.permutation.resize(a.rows());
  std::iota(jds.permutation.begin(), jds.permutation.end(), 0u);
  const auto length = [&](std::uint32_t row) { return a.row_start[row + 1] - a.row_start[row]; };
  std::stable_sort(jds.permutation.begin(), jds.permutation.end(),
                   [&](std::uint32_t one, std::uint32_t other) { return length(one) > length(other); });
  for (const std::uint32_t row : jds.permutation) jds.length.push_back(length(row));
  for (std::uint32_t k = 0; a.rows() > 0 && k < jds.length[0]; ++k) {
    jds.jag_start.push_back(static_cast<std::uint32_t>(jds.column.size()));
    for (std::uint32_t row = 0; row < a.rows() && jds.length[row] > k; ++row) {
      const std::uint32_t from = a.row_start[jds.permutation[row]] + k;
      jds.column.push_back(a.column[from]);
      jds.value.push_back(a.value[from]);
    }
  }
  return jds;
}

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
