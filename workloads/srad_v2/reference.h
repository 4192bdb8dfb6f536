// Anisotropic diffusion on the CPU, with the kernels' operations in the kernels' order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "workloads/common/image.h"

namespace heddle::workloads::srad_v2 {

constexpr float kQuarterLambda = 0.25f * 0.5f;

/// Variance over squared mean of the upper left corner, which is taken to be speckle only.
inline float speckle_squared(const std::vector<float>& pixels, std::uint32_t columns, std::uint32_t corner) {
  double sum = 0;
  double squares = 0;
  for (std::size_t y = 0; y < corner; ++y) {
    for (std::size_t x = 0; x < corner; ++x) {
      const double v = static_cast<double>(pixels[y * columns + x]);
      sum += v;
      squares += v * v;
    }
  }
  const double count = static_cast<double>(corner) * corner;
  const double mean = sum / count;
  return static_cast<float>((squares / count - mean * mean) / (mean * mean));
}

/// One step of the diffusion.
inline void step(Image& image, float speckle) {
  const std::size_t rows = image.rows;
  const std::size_t columns = image.columns;
  struct Differences {
    float n, s, w, e;
  };
  std::vector<Differences> differences(image.pixels.size());
  std::vector<float> coefficients(image.pixels.size());
  for (std::size_t y = 0; y < rows; ++y) {
    for (std::size_t x = 0; x < columns; ++x) {
      const auto at = [&](std::size_t row, std::size_t column) { return image.pixels[row * columns + column]; };
      const float centre = at(y, x);
      const float n = at(y == 0 ? 0 : y - 1, x) - centre;
      const float s = at(std::min(y + 1, rows - 1), x) - centre;
      const float w = at(y, x == 0 ? 0 : x - 1) - centre;
      const float e = at(y, std::min(x + 1, columns - 1)) - centre;
      const float gradient = std::fma(e, e, std::fma(w, w, std::fma(s, s, n * n))) / (centre * centre);
      const float laplacian = (n + s + w + e) / centre;
      const float numerator = std::fma(0.5f, gradient, -((1.0f / 16.0f) * (laplacian * laplacian)));
      const float root = std::fma(0.25f, laplacian, 1.0f);
      const float q = numerator / (root * root);
      const float coefficient = 1.0f / (1.0f + (q - speckle) / (speckle * (1.0f + speckle)));
      coefficients[y * columns + x] = std::clamp(coefficient, 0.0f, 1.0f);
      differences[y * columns + x] = {n, s, w, e};
    }
  }
  for (std::size_t y = 0; y < rows; ++y) {
    for (std::size_t x = 0; x < columns; ++x) {
      const std::size_t i = y * columns + x;
      const float here = coefficients[i];
      const float s = coefficients[std::min(y + 1, rows - 1) * columns + x];
      const float e = coefficients[y * columns + std::min(x + 1, columns - 1)];
      const auto& d = differences[i];
      const float divergence = std::fma(e, d.e, std::fma(here, d.w, std::fma(s, d.s, here * d.n)));
      image.pixels[i] = std::fma(kQuarterLambda, divergence, image.pixels[i]);
    }
  }
}

}  // namespace heddle::workloads::srad_v2
