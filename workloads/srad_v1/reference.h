// The statistics of srad_v1 on the CPU: sums by the kernel's tree. Diffusion itself is that of srad_v2, on the image
// turned so that columns become rows.
#pragma once

#include <cstddef>
#include <vector>

namespace heddle::workloads::srad_v1 {

constexpr std::size_t kBlock = 512;

inline float tree_sum(std::vector<float> values) {
  while (values.size() > 1) {
    std::vector<float> next;
    for (std::size_t begin = 0; begin < values.size(); begin += kBlock) {
      std::vector<float> block(kBlock, 0.0f);
      for (std::size_t i = 0; i < kBlock && begin + i < values.size(); ++i) block[i] = values[begin + i];
      for (std::size_t half = 1; half < kBlock; half *= 2) {
        for (std::size_t i = 0; i < kBlock; i += 2 * half) block[i] += block[i + half];
      }
      next.push_back(block[0]);
    }
    values = next;
  }
  return values[0];
}

/// Variance over squared mean.
inline float speckle_squared(float sum, float squares, std::size_t count) {
  const double mean = static_cast<double>(sum) / static_cast<double>(count);
  const double variance = static_cast<double>(squares) / static_cast<double>(count) - mean * mean;
  return static_cast<float>(variance / (mean * mean));
}

}  // namespace heddle::workloads::srad_v1
