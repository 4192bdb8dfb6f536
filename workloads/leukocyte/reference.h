// The three stages of leukocyte on the CPU, with the kernels' operations in the kernels' order.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "workloads/leukocyte/shape.h"

namespace heddle::workloads::leukocyte {

using Values = std::vector<float>;

struct Tables {
  std::vector<float> sine, cosine;
  std::vector<std::int32_t> offset_x, offset_y;
  std::vector<std::uint8_t> disc;
};

inline Tables make_tables() {
  Tables tables;
  std::vector<double> angles;
  for (int point = 0; point < kCirclePoints; ++point) angles.push_back(point * 2.0 * 3.14159265358979 / kCirclePoints);
  for (const double angle : angles) {
    tables.sine.push_back(static_cast<float>(std::sin(angle)));
    tables.cosine.push_back(static_cast<float>(std::cos(angle)));
  }
  for (int circle = 0; circle < kCircles; ++circle) {
    const double radius = kLeastRadius + 2 * circle;
    for (const double angle : angles) {
      tables.offset_x.push_back(static_cast<std::int32_t>(radius * std::cos(angle)));
      tables.offset_y.push_back(static_cast<std::int32_t>(radius * std::sin(angle)));
    }
  }
  for (int dy = -kDiscRadius; dy <= kDiscRadius; ++dy) {
    for (int dx = -kDiscRadius; dx <= kDiscRadius; ++dx) {
      tables.disc.push_back(dy * dy + dx * dx <= kDiscRadius * kDiscRadius ? 1 : 0);
    }
  }
  return tables;
}

/// Values of the pixels that are kMargin and more away from the edge.
inline Values gicov(const Tables& tables, const Values& gradient_x, const Values& gradient_y, int side) {
  Values result;
  for (int y = kMargin; y < side - kMargin; ++y) {
    for (int x = kMargin; x < side - kMargin; ++x) {
      float best = 0.0f;
      for (std::size_t circle = 0; circle < kCircles; ++circle) {
        std::array<float, kCirclePoints> samples{};
        float sum = 0.0f;
        for (std::size_t point = 0; point < kCirclePoints; ++point) {
          const int row = y + tables.offset_y[circle * kCirclePoints + point];
          const int column = x + tables.offset_x[circle * kCirclePoints + point];
          const auto at = static_cast<std::size_t>(row * side + column);
          samples[point] = std::fma(gradient_x[at], tables.cosine[point], gradient_y[at] * tables.sine[point]);
          sum += samples[point];
        }
        const float mean = sum / static_cast<float>(kCirclePoints);
        float variance = 0.0f;
        for (const float sample : samples) variance = std::fma(sample - mean, sample - mean, variance);
        variance = variance / static_cast<float>(kCirclePoints - 1);
        if (variance > 0.0f) best = std::max(best, mean * mean / variance);
      }
      result.push_back(best);
    }
  }
  return result;
}

inline Values dilate(const Tables& tables, const Values& image, int side) {
  Values result(image.size(), 0.0f);
  for (int i = 0; i < side * side; ++i) {
    for (int d = 0; d < kDiscSide * kDiscSide; ++d) {
      const int y = i / side - kDiscRadius + d / kDiscSide, x = i % side - kDiscRadius + d % kDiscSide;
      if (y < 0 || x < 0 || y >= side || x >= side || tables.disc[static_cast<std::size_t>(d)] == 0) continue;
      float& largest = result[static_cast<std::size_t>(i)];
      largest = std::max(largest, image[static_cast<std::size_t>(y * side + x)]);
    }
  }
  return result;
}

inline float step_at(float x) {
  const float z = x * kStepSharpness;
  const float arctangent =
      std::abs(z) <= 1.0f ? z / std::fma(0.28f * z, z, 1.0f) : std::copysign(kHalfPi, z) - z / std::fma(z, z, 0.28f);
  return std::fma(arctangent, kInversePi, 0.5f);
}

/// The settled field and the number of rounds it took.
inline std::pair<Values, std::int32_t> flow_field(const float* cell, int most_rounds, float cutoff) {
  constexpr int kPixels = kFieldRows * kFieldColumns;
  Values field(cell, cell + kPixels);
  std::int32_t round = 0;
  for (bool settled = false; round < most_rounds && !settled; ++round) {
    Values next(field.size());
    std::array<float, kFlowThreads> changes{};  // one per thread of the kernel
    for (int i = 0; i < kPixels; ++i) {
      const int row = i / kFieldColumns, column = i % kFieldColumns;
      const float old = field[static_cast<std::size_t>(i)];
      float flow = 0.0f;
      for (int n = 0; n < 9; ++n) {
        if (n == 4) continue;
        const int y = std::clamp(row - 1 + n / 3, 0, kFieldRows - 1);
        const int x = std::clamp(column - 1 + n % 3, 0, kFieldColumns - 1);
        const float difference = field[static_cast<std::size_t>(y * kFieldColumns + x)] - old;
        flow = std::fma(step_at(difference), difference, flow);
      }
      const float moved = std::fma(kFlowRate, flow, old);
      float& made = next[static_cast<std::size_t>(i)];
      made = std::fma(-kFidelity * cell[i], moved - cell[i], moved);
      changes[static_cast<std::size_t>(i % kFlowThreads)] += std::abs(made - old);
    }
    field = next;
    for (std::size_t i = 256; i < kFlowThreads; ++i) changes[i - 256] += changes[i];
    for (std::size_t half = 128; half > 0; half /= 2) {
      for (std::size_t i = 0; i < half; ++i) changes[i] += changes[i + half];
    }
    settled = changes[0] / static_cast<float>(kPixels) < cutoff;
  }
  return {field, round};
}

}  // namespace heddle::workloads::leukocyte
