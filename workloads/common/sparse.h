// Sparse matrices in compressed sparse row form, and a generator for them.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::workloads {

struct CsrMatrix {
  std::uint32_t columns = 0;
  std::vector<std::uint32_t> row_start;  ///< rows + 1 entries
  std::vector<std::uint32_t> column;     ///< ascending within a row
  std::vector<float> value;

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(row_start.size() - 1); }
};

/// A square matrix with rows of very different lengths: most have 1 to `typical` entries, one in 64 is empty and one in
/// 32 has up to eight times as many. Half of the columns lie near the diagonal, half anywhere. Values in [-1, 1).
[[nodiscard]] CsrMatrix irregular_matrix(std::uint32_t rows, std::uint32_t typical, std::uint64_t seed);

}  // namespace heddle::workloads
