// The 5/3 wavelet transform on the CPU: a line at a time, rows first.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::workloads::dwt2d {

/// Smooth values, then details.
inline std::vector<std::int32_t> transform_line(const std::vector<std::int32_t>& line) {
  const auto n = static_cast<std::ptrdiff_t>(line.size());
  if (n == 1) return line;
  const auto at = [&](std::ptrdiff_t i) {
    const std::ptrdiff_t positive = i < 0 ? -i : i;
    return line[static_cast<std::size_t>(positive < n ? positive : 2 * (n - 1) - positive)];
  };
  const auto detail = [&](std::ptrdiff_t i) {
    // Mirrored like the values: the detail left of the first is the first, that right of the last the last.
    const std::ptrdiff_t p = i < 0 ? -i : i < n ? i : 2 * (n - 1) - i;
    return at(p) - ((at(p - 1) + at(p + 1)) >> 1);
  };
  std::vector<std::int32_t> result;
  for (std::ptrdiff_t i = 0; i < n; i += 2) result.push_back(at(i) + ((detail(i - 1) + detail(i + 1) + 2) >> 2));
  for (std::ptrdiff_t i = 1; i < n; i += 2) result.push_back(detail(i));
  return result;
}

/// One level, on the upper left columns x rows of an image with that stride.
inline void transform(std::vector<std::int32_t>& image, std::size_t stride, std::size_t columns, std::size_t rows) {
  for (std::size_t y = 0; y < rows; ++y) {
    const auto begin = image.begin() + static_cast<std::ptrdiff_t>(y * stride);
    const std::vector<std::int32_t> line = transform_line({begin, begin + static_cast<std::ptrdiff_t>(columns)});
    std::copy(line.begin(), line.end(), begin);
  }
  for (std::size_t x = 0; x < columns; ++x) {
    std::vector<std::int32_t> line(rows);
    for (std::size_t y = 0; y < rows; ++y) line[y] = image[y * stride + x];
    line = transform_line(line);
    for (std::size_t y = 0; y < rows; ++y) image[y * stride + x] = line[y];
  }
}

}  // namespace heddle::workloads::dwt2d
