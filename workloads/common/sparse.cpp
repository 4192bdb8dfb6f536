#include "workloads/common/sparse.h"

#include <algorithm>

#include "workloads/common/random.h"

namespace heddle::workloads {

namespace {

std::uint32_t row_length(Random& random, std::uint32_t rows, std::uint32_t typical) {
  if (random.below(64) == 0) return 0;
  const std::uint32_t longest = random.below(32) == 0 ? 8 * typical : typical;
  return std::min(1 + random.below(longest), rows);
}

}  // namespace

CsrMatrix irregular_matrix(std::uint32_t rows, std::uint32_t typical, std::uint64_t seed) {
  Random random(seed, 2);
  const std::uint32_t band = std::min(rows, 16 * typical);
  CsrMatrix matrix;
  matrix.columns = rows;
  matrix.row_start.reserve(rows + 1);
  matrix.row_start.push_back(0);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::size_t begin = matrix.column.size();
    const std::uint32_t first = std::min(row - std::min(row, band / 2), rows - band);
    for (std::uint32_t length = row_length(random, rows, typical); length > 0; --length) {
      matrix.column.push_back(random.below(2) == 0 ? first + random.below(band) : random.below(rows));
    }
    // Drawn twice is stored once, so a row may come out shorter than drawn.
    const auto start = matrix.column.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(start, matrix.column.end());
    matrix.column.erase(std::unique(start, matrix.column.end()), matrix.column.end());
    matrix.row_start.push_back(static_cast<std::uint32_t>(matrix.column.size()));
  }
  matrix.value.resize(matrix.column.size());
  for (float& v : matrix.value) v = random.uniform(-1.0f, 1.0f);
  return matrix;
}

}  // namespace heddle::workloads
