// Tracking on the CPU, with the kernel's operations in the kernel's order. Cumulative sums are part of the definition:
// they round differently from direct ones.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "workloads/heartwall/geometry.h"

namespace heddle::workloads::heartwall {

using Values = std::vector<float>;

struct Point {
  int row = 0;
  int column = 0;
  Values turned;  ///< template, turned by 180 degrees
};

class Tracker {
 public:
  explicit Tracker(const HeartGeometry& geometry) : g_(geometry) {}

  void take_template(const Values& frame, Point& point) const {
    const int t = g_.template_side;
    point.turned.resize(square(t));
    for (int i = 0; i < t * t; ++i) at(point.turned, i) = template_pixel(frame, point, i);
  }

  void track(const Values& frame, bool update_template, Point& point) const {
    const int t = g_.template_side, w = g_.window_side, c = g_.full_side;
    Values window(square(w));
    for (int i = 0; i < w * w; ++i) {
      at(window, i) = pixel(frame, point.row - g_.window_half + i / w, point.column - g_.window_half + i % w);
    }
    Values window_squares = window;
    for (float& v : window_squares) v *= v;
    const Values sums = local_sums(window);
    const Values squares = local_sums(window_squares);
    float sum = 0.0f;
    float square = 0.0f;
    for (int column = 0; column < t; ++column) {
      float column_sum = 0.0f;
      float column_square = 0.0f;
      for (int row = 0; row < t; ++row) {
        const float value = at(point.turned, row * t + column);
        column_sum += value;
        column_square = std::fma(value, value, column_square);
      }
      sum += column_sum;
      square += column_square;
    }
    const auto count = static_cast<float>(t * t);
    const float deviation = std::sqrt(std::max(std::fma(-sum, sum / count, square), 0.0f));

    float best = -2.0f;
    int best_at = 0;
    const int centre = g_.window_half + g_.template_half;
    for (int i = 0; i < c * c; ++i) {
      const int dy = i / c - centre, dx = i % c - centre;
      float value = 0.0f;
      if (dy * dy + dx * dx <= g_.most_move * g_.most_move) {
        const float local = at(sums, i);
        const float scale = std::sqrt(std::max(std::fma(-local, local / count, at(squares, i)), 0.0f)) * deviation;
        const float product = convolution(point.turned, window, i / c, i % c);
        if (scale > 0.0f) value = std::fma(-local, sum / count, product) / scale;
      }
      if (value > best) {
        best = value;
        best_at = i;
      }
    }
    point.row = clamped(point.row + best_at / c - centre, g_.frame_rows);
    point.column = clamped(point.column + best_at % c - centre, g_.frame_columns);
    if (!update_template) return;
    for (int i = 0; i < t * t; ++i) {
      at(point.turned, i) = std::fma(0.87f, at(point.turned, i), (1.0f - 0.87f) * template_pixel(frame, point, i));
    }
  }

 private:
  static std::size_t square(int side) { return static_cast<std::size_t>(side) * static_cast<std::size_t>(side); }
  static int clamped(int value, int limit) { return std::clamp(value, 0, limit - 1); }
  static float& at(Values& values, int i) { return values[static_cast<std::size_t>(i)]; }
  static float at(const Values& values, int i) { return values[static_cast<std::size_t>(i)]; }

  [[nodiscard]] float pixel(const Values& frame, int row, int column) const {
    return at(frame, clamped(row, g_.frame_rows) * g_.frame_columns + clamped(column, g_.frame_columns));
  }
  [[nodiscard]] float template_pixel(const Values& frame, const Point& point, int i) const {
    const int t = g_.template_side;
    return pixel(frame, point.row + g_.template_half - i / t, point.column + g_.template_half - i % t);
  }

  [[nodiscard]] float convolution(const Values& turned, const Values& window, int y, int x) const {
    const int t = g_.template_side, w = g_.window_side;
    float sum = 0.0f;
    for (int a = 0; a < t; ++a) {
      for (int b = 0; b < t; ++b) {
        if (y - a < 0 || y - a >= w || x - b < 0 || x - b >= w) continue;
        sum = std::fma(at(turned, a * t + b), at(window, (y - a) * w + x - b), sum);
      }
    }
    return sum;
  }

  [[nodiscard]] Values local_sums(const Values& window) const {
    const int t = g_.template_side, w = g_.window_side, c = g_.full_side, p = g_.padded_side;
    Values padded(square(p), 0.0f);
    for (int i = 0; i < w * w; ++i) at(padded, (i / w + t) * p + i % w + t) = at(window, i);
    for (int i = p; i < p * p; ++i) at(padded, i) = at(padded, i - p) + at(padded, i);
    Values result(square(c));
    Values along(static_cast<std::size_t>(p));
    for (int row = 0; row < c; ++row) {
      float sum = 0.0f;
      for (int x = 0; x < p; ++x) {
        sum += at(padded, (row + t) * p + x) - at(padded, row * p + x);
        at(along, x) = sum;
      }
      for (int x = 0; x < c; ++x) at(result, row * c + x) = at(along, x + t) - at(along, x);
    }
    return result;
  }

  HeartGeometry g_;
};

}  // namespace heddle::workloads::heartwall
