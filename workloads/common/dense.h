// Dense row-major matrices of floats on the CPU, with the order of operations that the PolyBench kernels have: products
// are added one by one in ascending order with fused multiply-adds, so that results can be compared exactly.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace heddle::workloads::dense {

using Matrix = std::vector<float>;  ///< n x n, row-major
using Vector = std::vector<float>;

/// sum over j of a[i][j] * x[j], added to `start[i]`.
inline Vector rows_times(const Matrix& a, const Vector& x, Vector start) {
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) start[i] = std::fma(a[i * n + j], x[j], start[i]);
  }
  return start;
}

/// sum over i of a[i][j] * x[i], added to `start[j]`.
inline Vector columns_times(const Matrix& a, const Vector& x, Vector start) {
  const std::size_t n = x.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) start[j] = std::fma(a[i * n + j], x[i], start[j]);
  }
  return start;
}

/// start + (alpha * a) * b
inline Matrix product(const Matrix& a, const Matrix& b, std::size_t n, float alpha, Matrix start) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      const float factor = alpha * a[i * n + k];
      for (std::size_t j = 0; j < n; ++j) start[i * n + j] = std::fma(factor, b[k * n + j], start[i * n + j]);
    }
  }
  return start;
}

/// start + the sum over the terms of (alpha * left) * transpose(right), the terms taken in turn for each k.
struct Term {
  const Matrix& left;
  const Matrix& right;
};
inline Matrix symmetric_update(const std::vector<Term>& terms, std::size_t n, float alpha, Matrix start) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      float& sum = start[i * n + j];
      for (std::size_t k = 0; k < n; ++k) {
        for (const Term& term : terms) sum = std::fma(alpha * term.left[i * n + k], term.right[j * n + k], sum);
      }
    }
  }
  return start;
}

/// factor * a
inline Matrix scaled(Matrix a, float factor) {
  for (float& v : a) v *= factor;
  return a;
}

}  // namespace heddle::workloads::dense
